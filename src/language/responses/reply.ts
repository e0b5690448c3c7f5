// Writes a chat answer as a response, whole and streamed, with the same items either way.
import { streamFault } from "../../calls/event-stream.ts";
import type { Context } from "../../context.ts";
import { parseJson } from "../../json/parse.ts";
import { answerBytesMax } from "../../providers/transport/exchange.ts";
import type { ChatRecord, ChatWhole } from "../../providers/verbs/chat.ts";
import { AnswerTooLarge, type StreamEncoder } from "../stream-answer.ts";
import type { TokenBill } from "../token-call.ts";
import {
  type Call,
  type CallDelta,
  closeCurrent,
  closeItem,
  type Delta,
  type Emit,
  endStatus,
  isTextOpen,
  newOutput,
  nextId,
  type OpenCall,
  openItem,
  type Output,
  placeOf,
  say,
  think,
} from "./output.ts";
import { type Answering, asksLogprobs, endedResponse, isCut, newResponse, readLogprobs } from "./response-object.ts";
import type { Logprob, ResponseObject } from "./types.ts";

/** Stores a response that is charged. Never rejects. */
export type Keep = (response: ResponseObject) => Promise<ResponseObject>;

/** Chat's `n` is never sent, so there is one choice. */
export function wholeResponse(
  { clock }: Pick<Context, "clock">,
  answering: Answering,
  { completion }: Pick<ChatWhole, "completion">,
  bill: TokenBill,
): ResponseObject {
  const output = outputOf(answering, () => undefined);
  const [choice] = completion.choices;
  const finish = choice?.finish_reason ?? null;
  if (choice !== undefined) {
    const { message } = choice;
    const tool_calls = (message.tool_calls ?? []).map((call, index) => ({ ...call, index }));
    addDelta(output, { ...message, tool_calls }, asksLogprobs(answering.request) ? readLogprobs(choice.logprobs) : []);
  }
  endOutput(output, isCut(finish));
  return endedResponse(newResponse(answering), { finish, output: output.items, bill, now: clock() });
}

/** `keep` takes the response that has ended, and returns it as it is sent. */
export function responseEncoder(
  context: Pick<Context, "clock" | "publicUrl">,
  answering: Answering,
  keep: Keep | null = null,
): StreamEncoder<ChatRecord> {
  let sequence = 0;
  let written = "";
  let finish: string | null = null;
  const emit: Emit = (type, fields) => {
    written += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`;
  };
  const take = () => {
    const text = written;
    written = "";
    return text;
  };
  const { ask } = answering;
  const response = newResponse(answering);
  const withLogprobs = asksLogprobs(answering.request);
  const output = outputOf(answering, emit);
  const open = () => {
    if (sequence > 0) return;
    emit("response.created", { response });
    emit("response.in_progress", { response });
  };
  return {
    record({ json }) {
      open();
      const [choice] = (parseJson(json) as { choices: { delta?: Delta; logprobs?: unknown; finish_reason?: string | null }[] }).choices;
      if (choice?.delta) addDelta(output, choice.delta, withLogprobs ? readLogprobs(choice.logprobs) : []);
      finish = choice?.finish_reason ?? finish;
      return take();
    },
    keepAlive: ": keep-alive\n\n",
    async end(bill) {
      open();
      endOutput(output, isCut(finish));
      const whole = endedResponse(response, { finish, output: output.items, bill, now: context.clock() });
      const ended = keep === null ? whole : await keep(whole);
      emit(`response.${ended.status}`, { response: ended });
      return take();
    },
    // Clients of OpenAI raise at the first record; Codex and others that read states raise at the second.
    interrupted() {
      open();
      const error = streamFault(context, ask);
      const { code, message, param } = error;
      emit("error", { code, message, param, error });
      emit("response.failed", { response: { ...response, status: "failed", error, output: output.items, store: false } });
      return take();
    },
  };
}

function outputOf({ idTail, offered }: Answering, emit: Emit) {
  return newOutput({ emit, idTail, callables: offered.callables });
}

// Turns a chat answer, delta by delta, into output items and their records. One state machine serves streams and whole answers, so both
// say the same.

/** Throws for more than a whole answer may hold. `logprobs` are those of the delta's tokens. */
export function addDelta(output: Output, { reasoning_content, content, refusal, tool_calls }: Delta, logprobs: Logprob[] = []): void {
  const texts = [reasoning_content, content, refusal, ...(tool_calls ?? []).map((call) => call.function?.arguments)];
  output.characters += texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);
  if (logprobs.length > 0) output.characters += JSON.stringify(logprobs).length;
  if (output.characters > answerBytesMax) throw new AnswerTooLarge("the answer is too large");
  if (reasoning_content) think(output, reasoning_content);
  if (content) say(output, "output_text", content, logprobs);
  // A character of several tokens: the first of them have log probabilities and no text yet.
  else if (logprobs.length > 0 && !refusal && !tool_calls?.length && isTextOpen(output)) say(output, "output_text", "", logprobs);
  if (refusal) say(output, "refusal", refusal);
  for (const delta of tool_calls ?? []) addCall(output, delta);
}

/** `cut`: a limit ended the answer, so its last item is incomplete. */
export function endOutput(output: Output, cut: boolean): void {
  closeCurrent(output, cut);
  closeCalls(output, cut);
}

// Tool calls as output items: functions delta by delta, custom tools once their input is complete.

function addCall(output: Output, delta: CallDelta): void {
  const call = output.calls.get(delta.index) ?? openCall(output, delta);
  output.last = call.item;
  const piece = delta.function?.arguments;
  if (!piece) return;
  call.text += piece;
  if (call.item.type !== "function_call") return;
  call.item.arguments = call.text;
  output.emit("response.function_call_arguments.delta", { ...placeOf(output, call.item), delta: piece });
}

function closeCalls(output: Output, cut: boolean): void {
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

/** The bridge's one field; if the model ignored the schema, everything that it wrote. */
function inputOf(text: string): string {
  try {
    const given = parseJson(text) as { input?: unknown } | null;
    return typeof given?.input === "string" ? given.input : text;
  } catch {
    return text;
  }
}
