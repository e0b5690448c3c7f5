// Chat over the `openai` protocol: one call of one route. Returns an answer or throws the fault that decides what to do next.
import { type Clock, systemClock } from "../../clock.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { type JsonText, membersOf, renameMembers, spliceJson } from "../json/splice.ts";
import { effortOfBudget } from "../translation/message-types.ts";
import { exchange, isJson, nameAnswer, wholeText } from "../transport/exchange.ts";
import { inOrder, openOutlet } from "../transport/outlet.ts";
import { jsonRequest } from "../transport/json.ts";
import { readStream, replayedTally, replayStream, type SseRecord, type StreamReader } from "../transport/read-stream.ts";
import type { Upstream, UpstreamAnswer } from "../transport/types.ts";
import type { Chat, ChatCall, ChatRecord, ChatStream, ChatTally, ChatWhole } from "../verbs/chat.ts";
import type { Variant } from "../types.ts";
import { allEnded, beginChunks, newChunkState } from "./chunk.ts";
import { openRecordReader } from "./record-reader.ts";
import { foreignKeys, readCompletion } from "./response.ts";

export interface ChatTimes {
  clock: Clock;
  /** Milliseconds that an accepted stream may stay without a record before it counts as begun. */
  startAfterMs: number;
}

export function chatTimes(change: Partial<ChatTimes>): ChatTimes {
  return { clock: systemClock, startAfterMs: 3_000, ...change };
}

export function openaiChat(upstream: Upstream, change: Partial<ChatTimes> = {}): Chat {
  const times = chatTimes(change);
  return (call) => {
    const body = inVariant(call.body, call.route.provider.variant, call.outputMax);
    return exchange(upstream, jsonRequest(call, "/chat/completions", body, call.stream), times.clock).then((answer) =>
      readChatAnswer(answer, call, times),
    );
  };
}

/** How an answer in another form becomes one of this protocol, before anything is checked. It tells what the answer calls itself. */
export interface ForeignAnswer {
  whole: (text: string) => string;
  records: (record: SseRecord) => SseRecord[];
}

/** Returns no promise for a whole answer that is here. */
export function readChatAnswer(
  answer: UpstreamAnswer,
  call: ChatCall,
  times: ChatTimes,
  foreign?: ForeignAnswer,
): ChatWhole | ChatStream | Promise<ChatWhole | ChatStream> {
  if (call.stream && !isJson(answer)) return openChatStream(answer, call, times, foreign);
  const read = (text: string) => {
    const said = foreign === undefined ? text : foreign.whole(text);
    const whole = readCompletion(said, call.publicModel, times.clock, call.route.provider, namedBy(call, foreign));
    return call.stream ? streamOfWhole(whole, call.signal) : whole;
  };
  const text = wholeText(answer);
  return typeof text === "string" ? read(text) : text.then(read);
}

/** The id of a translated answer is ours. Keeps nothing else of the call: a stream would hold its body. */
function namedBy({ heard }: ChatCall, foreign: ForeignAnswer | undefined): ((id: unknown) => void) | undefined {
  return foreign === undefined ? (id) => nameAnswer(heard, id) : undefined;
}

// The order in which a streamed answer's records go out. record-reader.ts reads each record, read-stream.ts decides when a stream begins
// and how it ended.

/** The stream begins with its first record, even one that has only a role. */
function openChatStream(answer: UpstreamAnswer, call: ChatCall, times: ChatTimes, foreign?: ForeignAnswer): Promise<ChatStream> {
  return readStream(answer, (onEnd) => chatReader(call, times.clock, onEnd, foreign), call, times.startAfterMs);
}

function chatReader(call: ChatCall, clock: Clock, onEnd: () => void, foreign?: ForeignAnswer): StreamReader<ChatRecord, ChatTally> {
  const { publicModel, route } = call;
  const state = newChunkState(publicModel, route.provider, namedBy(call, foreign));
  const reader = openRecordReader(state, route.provider, clock);
  const outlet = openOutlet<ChatRecord>(() => beginChunks(state, {}, clock), onEnd);
  const emit = (json: string) => outlet.emit({ json });
  const takeOne = (record: SseRecord) => {
    const read = reader.read(record, outlet.begun);
    if (typeof read === "string") return emit(read);
    const pending = inOrder(read.records, emit);
    if (!read.done) return pending;
    if (pending) return pending.then(outlet.end);
    outlet.end();
  };
  return {
    outlet,
    tally: state.tally,
    take: (record) => (foreign === undefined ? takeOne(record) : inOrder(foreign.records(record), takeOne)),
    isEmpty: () => !state.begun,
    isWhole: () => allEnded(state),
    finish: outlet.end,
  };
}

// The records of a replayed answer; they keep the rules of chunk.ts (docs/behaviour/streams.md#chunks).

function streamOfWhole({ completion, usage }: ChatWhole, signal: AbortSignal): ChatStream {
  const { id, created, model } = completion;
  const tally: ChatTally = { ...replayedTally(usage), id, created };
  const foreign = foreignKeys(completion);
  const pieces = completion.choices.flatMap(choiceDeltas).map(({ choice, characters }) => {
    const record = { id, object: "chat.completion.chunk", created, model, ...foreign, choices: [choice] };
    return { record: { json: JSON.stringify(record) }, characters };
  });
  return replayStream(pieces, tally, signal);
}

interface Delta {
  choice: Json;
  characters: number;
}

function choiceDeltas({ index, message, logprobs, finish_reason, ...rest }: ChatWhole["completion"]["choices"][number]): Delta[] {
  const { role: _role, content, reasoning_content, refusal, tool_calls, ...extra } = message;
  const piece = (delta: Json, characters: number, more: Json = {}): Delta => ({
    choice: { index, delta, ...more, finish_reason: null },
    characters,
  });
  const pieces = [piece({ role: "assistant", content: "" }, 0)];
  const thinking = textOf(reasoning_content);
  const text = textOf(content);
  const refused = textOf(refusal);
  if (thinking !== null) pieces.push(piece({ reasoning_content: thinking }, thinking.length));
  if (text !== null) pieces.push(piece({ content: text }, text.length, { logprobs }));
  if (refused !== null) pieces.push(piece({ refusal: refused }, refused.length));
  if (Object.keys(extra).length > 0) pieces.push(piece(extra, 0)); // annotations, audio, function_call …
  arrayOf(tool_calls)
    .filter(isObject)
    .forEach((call, at) => pieces.push(...callPieces(call, at, piece)));
  pieces.push({ choice: { ...rest, index, delta: {}, finish_reason }, characters: 0 });
  return pieces;
}

function callPieces(call: Json, index: number, piece: (delta: Json, characters: number) => Delta): Delta[] {
  const called = objectOf(call["function"]);
  const text = String(called["arguments"]);
  const start = { index, ...call, function: { name: called["name"], arguments: "" } };
  return [
    piece({ tool_calls: [start] }, String(called["name"]).length),
    piece({ tool_calls: [{ index, function: { arguments: text } }] }, text.length),
  ];
}

/** A request's body as the host reads it; src/catalog/variants.ts lists the variants. */
function inVariant(text: JsonText, variant: Variant | undefined, outputMax: number): JsonText {
  if (variant === undefined) return text;
  return renameMembers(variant.effortAlone === true ? withEffort(text, outputMax) : text, variant.fields);
}

/** The `reasoning` object as the plain field, for hosts that refuse the object (docs/behaviour/translation.md#reasoning). */
function withEffort(text: JsonText, outputMax: number): JsonText {
  const { reasoning, ...caps } = membersOf(text, ["reasoning", "max_tokens", "max_completion_tokens"]);
  if (reasoning === undefined) return text;
  const { max_tokens: budget, effort } = objectOf(reasoning);
  const cap = Math.min(...Object.values(caps).filter((value) => typeof value === "number"), outputMax);
  const said = typeof budget === "number" ? effortOfBudget(budget, cap) : textOf(effort);
  return spliceJson(text, { reasoning: null, ...(said === null ? {} : { reasoning_effort: JSON.stringify(said) }) });
}
