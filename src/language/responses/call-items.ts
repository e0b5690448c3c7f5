// Calls of tools as output items: functions piece by piece, custom tools once their input is whole.
import { parseJson } from "../../json/parse.ts";
import { type Call, type CallDelta, closeItem, endStatus, nextId, type OpenCall, openItem, type Output, placeOf } from "./output.ts";
import { closeCurrent } from "./said-items.ts";

export function addCall(output: Output, delta: CallDelta): void {
  const call = output.calls.get(delta.index) ?? openCall(output, delta);
  output.last = call.item;
  const piece = delta.function?.arguments;
  if (!piece) return;
  call.text += piece;
  if (call.item.type !== "function_call") return;
  call.item.arguments = call.text;
  output.emit("response.function_call_arguments.delta", { ...placeOf(output, call.item), delta: piece });
}

export function closeCalls(output: Output, cut: boolean): void {
  for (const { item, text } of output.calls.values()) {
    item.status = endStatus(output, item, cut);
    const place = placeOf(output, item);
    if (item.type === "function_call")
      output.emit("response.function_call_arguments.done", { ...place, name: item.name, arguments: item.arguments });
    else {
      item.input = inputOf(text);
      if (item.input !== "") output.emit("response.custom_tool_call_input.delta", { ...place, delta: item.input });
      output.emit("response.custom_tool_call_input.done", { ...place, input: item.input });
    }
    closeItem(output, item);
  }
}

function openCall(output: Output, { index, id, function: called }: CallDelta): OpenCall {
  closeCurrent(output, false);
  const seen = called?.name ?? "";
  const { kind, name, namespace } = output.callables.get(seen) ?? { kind: "function", name: seen, namespace: null };
  const shared = {
    status: "in_progress" as const,
    call_id: id ?? nextId(output, "call"),
    name,
    ...(namespace === null ? {} : { namespace }),
  };
  const item = openItem<Call>(
    output,
    kind === "custom"
      ? { id: nextId(output, "ctc"), type: "custom_tool_call", ...shared, input: "" }
      : { id: nextId(output, "fc"), type: "function_call", ...shared, arguments: "" },
  );
  const call = { item, text: "" };
  output.calls.set(index, call);
  return call;
}

/** What the model put into the bridge's one field; all that it wrote where it kept to no form. */
function inputOf(text: string): string {
  try {
    const given = parseJson(text) as { input?: unknown } | null;
    return typeof given?.input === "string" ? given.input : text;
  } catch {
    return text;
  }
}
