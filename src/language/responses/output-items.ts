// A chat answer, piece by piece, as output items and the records that tell of them. One machine for streams and whole
// answers, so that both say the same.
import type { Callable, OutputItem } from "./types.ts";

/** What a chat chunk adds. */
export interface Delta {
  content?: string | null;
  reasoning_content?: string | null;
  refusal?: string | null;
  tool_calls?: { index: number; id?: string; function?: { name?: string | null; arguments?: string | null } | null }[] | null;
}

export type Emit = (type: string, fields: Record<string, unknown>) => void;

export interface OutputItems {
  add(delta: Delta): void;
  /** `cut`: the answer was ended by a limit, so its last item is incomplete. */
  end(cut: boolean): void;
  /** As they stand. */
  items: OutputItem[];
}

interface ItemRules {
  /** Ends the ids of the answer and its items. */
  idTail: string;
  callables: ReadonlyMap<string, Callable>;
}

type Message = Extract<OutputItem, { type: "message" }>;
type Reasoning = Extract<OutputItem, { type: "reasoning" }>;
type Call = Extract<OutputItem, { type: "function_call" | "custom_tool_call" }>;
type Status = Message["status"];

interface OpenCall {
  item: Call;
  place: { output_index: number; item_id: string };
  /** Arguments so far; a custom tool's input stands in them as JSON. */
  text: string;
}

export function collectItems({ idTail, callables }: ItemRules, emit: Emit): OutputItems {
  const items: OutputItem[] = [];
  const calls = new Map<number, OpenCall>();
  /** The item that text or thinking is added to. */
  let current: Message | Reasoning | null = null;
  /** What the last piece was added to. */
  let last: OutputItem | null = null;

  const placeOf = (item: OutputItem) => ({ output_index: items.indexOf(item), item_id: item.id });
  const idOf = (prefix: string) => `${prefix}_${idTail}_${items.length}`;
  const open = (item: OutputItem) => {
    items.push(item);
    emit("response.output_item.added", { output_index: items.length - 1, item });
  };
  const done = (item: OutputItem) => emit("response.output_item.done", { output_index: items.indexOf(item), item });
  const statusOf = (item: OutputItem, cut: boolean): Status => (cut && item === last ? "incomplete" : "completed");

  const closeReasoning = (item: Reasoning) => {
    const place = { ...placeOf(item), summary_index: 0 };
    const part = item.summary[0]!;
    emit("response.reasoning_summary_text.done", { ...place, text: part.text });
    emit("response.reasoning_summary_part.done", { ...place, part });
    done(item);
  };
  const closePart = (item: Message) => {
    const part = item.content.at(-1);
    if (part === undefined) return;
    const place = { ...placeOf(item), content_index: item.content.length - 1 };
    if (part.type === "output_text") emit("response.output_text.done", { ...place, text: part.text, logprobs: [] });
    else emit("response.refusal.done", { ...place, refusal: part.refusal });
    emit("response.content_part.done", { ...place, part });
  };
  const closeCurrent = (cut: boolean) => {
    if (current?.type === "reasoning") closeReasoning(current);
    else if (current?.type === "message") {
      closePart(current);
      current.status = statusOf(current, cut);
      done(current);
    }
    current = null;
  };

  const think = (delta: string) => {
    if (current?.type !== "reasoning") {
      closeCurrent(false);
      current = { id: idOf("rs"), type: "reasoning", summary: [], encrypted_content: "" };
      open(current);
      const part = { type: "summary_text" as const, text: "" };
      emit("response.reasoning_summary_part.added", { ...placeOf(current), summary_index: 0, part });
      current.summary.push(part);
    }
    current.summary[0]!.text += delta;
    last = current;
    emit("response.reasoning_summary_text.delta", { ...placeOf(current), summary_index: 0, delta });
  };
  const say = (kind: "output_text" | "refusal", delta: string) => {
    if (current?.type !== "message") {
      closeCurrent(false);
      current = { id: idOf("msg"), type: "message", role: "assistant", status: "in_progress", content: [] };
      open(current);
    }
    let part = current.content.at(-1);
    if (part?.type !== kind) {
      closePart(current);
      part = kind === "refusal" ? { type: kind, refusal: "" } : { type: kind, text: "", annotations: [], logprobs: [] };
      emit("response.content_part.added", { ...placeOf(current), content_index: current.content.length, part });
      current.content.push(part);
    }
    last = current;
    const place = { ...placeOf(current), content_index: current.content.length - 1 };
    if (part.type === "output_text") part.text += delta;
    else part.refusal += delta;
    if (kind === "refusal") emit("response.refusal.delta", { ...place, delta });
    else emit("response.output_text.delta", { ...place, delta, logprobs: [] });
  };
  const call = ({ index, id, function: called }: NonNullable<Delta["tool_calls"]>[number]) => {
    let opened = calls.get(index);
    if (opened === undefined) {
      closeCurrent(false);
      const seen = called?.name ?? "";
      const { kind, name, namespace } = callables.get(seen) ?? { kind: "function", name: seen, namespace: null };
      const shared = { status: "in_progress" as const, call_id: id ?? `call_${idTail}_${items.length}`, name };
      const placed = namespace === null ? {} : { namespace };
      const item: Call =
        kind === "custom"
          ? { id: idOf("ctc"), type: "custom_tool_call", ...shared, ...placed, input: "" }
          : { id: idOf("fc"), type: "function_call", ...shared, ...placed, arguments: "" };
      open(item);
      opened = { item, place: placeOf(item), text: "" };
      calls.set(index, opened);
    }
    last = opened.item;
    const delta = called?.arguments;
    if (!delta) return;
    opened.text += delta;
    if (opened.item.type !== "function_call") return;
    opened.item.arguments = opened.text;
    emit("response.function_call_arguments.delta", { ...opened.place, delta });
  };
  const closeCall = ({ item, place, text }: OpenCall, cut: boolean) => {
    item.status = statusOf(item, cut);
    if (item.type === "function_call") emit("response.function_call_arguments.done", { ...place, name: item.name, arguments: text });
    else {
      item.input = inputOf(text);
      if (item.input !== "") emit("response.custom_tool_call_input.delta", { ...place, delta: item.input });
      emit("response.custom_tool_call_input.done", { ...place, input: item.input });
    }
    done(item);
  };

  return {
    items,
    add({ reasoning_content, content, refusal, tool_calls }) {
      if (reasoning_content) think(reasoning_content);
      if (content) say("output_text", content);
      if (refusal) say("refusal", refusal);
      for (const piece of tool_calls ?? []) call(piece);
    },
    end(cut) {
      closeCurrent(cut);
      for (const opened of calls.values()) closeCall(opened, cut);
    },
  };
}

/** What the model put into the bridge's one field; all that it wrote where it kept to no form. */
function inputOf(text: string): string {
  try {
    const given = JSON.parse(text) as { input?: unknown } | null;
    return typeof given?.input === "string" ? given.input : text;
  } catch {
    return text;
  }
}
