// Parses one streamed chunk, checks it and writes it anew: the slow path, and the only place that knows the rules of
// docs/behaviour/streams.md#chunks. fast-path.ts forwards known forms, record-reader.ts reads the other records.
import { errorUnderOk } from "../errors/error-text.ts";
import { hideInMembers } from "../errors/hide-secrets.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { Provider } from "../types.ts";
import type { ChatTally, FinishReason } from "../verbs/chat.ts";
import { type CallsState, endOfMalformed, newCallsState, normalizeContent, readCallDeltas, readFinish, readLogprobs } from "./content.ts";
import { foreignKeys, idsOf, readUsage } from "./response.ts";
import { cover, newTally } from "../transport/read-stream.ts";

interface ChoiceState {
  calls: CallsState;
  roleSent: boolean;
  finish: FinishReason | null;
}

export interface ChunkState {
  model: string;
  provider: Provider;
  tally: ChatTally;
  /** Whether the first chunk has fixed id and created. */
  begun: boolean;
  /** Told what the first chunk calls the answer. */
  named: (id: unknown) => void;
  choices: Map<number, ChoiceState>;
}

/** What a chunk became. */
interface ReadChunk {
  records: string[];
  /** One record, which a later chunk of the same form would produce again: nothing was started, added or ended. */
  steady: boolean;
  /** Present where the chunk reports a failure. */
  error?: unknown;
}

/** The OpenAI helper throws for choice indexes from 128 on; no host sends that many. */
const choicesMax = 128;

export function newChunkState(model: string, provider: Provider, named: ChunkState["named"] = () => undefined): ChunkState {
  const tally: ChatTally = { ...newTally(), id: "", created: 0 };
  return { model, provider, tally, begun: false, named, choices: new Map() };
}

/** Fixes id and created, from the first chunk, or new ones where the stream ends without a chunk. */
export function beginChunks(state: ChunkState, chunk: Json, now: () => Date): void {
  if (state.begun) return;
  state.begun = true;
  Object.assign(state.tally, idsOf(chunk, now));
  state.named(chunk["id"]);
}

export function readChunk(chunk: Json, state: ChunkState, now: () => Date): ReadChunk {
  const error = errorUnderOk(chunk);
  if (error !== null) return { records: [], steady: false, error };
  beginChunks(state, chunk, now);
  const { tally } = state;
  tally.servedTier = textOf(chunk["service_tier"]) ?? tally.servedTier;
  const usage = readUsage(chunk, state.provider.variant);
  const read: ReadChunk = { records: [], steady: true };
  const before = tally.characters;
  const first: Json[] = [];
  const second: Json[] = [];
  (Array.isArray(chunk["choices"]) ? chunk["choices"] : []).forEach((choice, position) => {
    if (isObject(choice)) readChoice(choice, position, state, read, first, second);
  });
  if (read.error !== undefined) return read;
  if (tally.characters > before) tally.deltas += 1;
  cover(tally, usage);
  for (const choices of [first, second]) {
    // A chunk without choices (usage alone, Azure's filter results) is not sent: naive clients read choices[0].
    if (choices.length > 0) read.records.push(chunkText(state, choices, hideInMembers(foreignKeys(chunk), state.provider)));
  }
  read.steady &&= read.records.length === 1 && second.length === 0;
  return read;
}

/** The text of a chunk, also of those that this adapter adds. */
function chunkText(state: ChunkState, choices: Json[], foreign: Json = {}): string {
  const { id, created } = state.tally;
  return JSON.stringify({ id, object: "chat.completion.chunk", created, model: state.model, ...foreign, choices });
}

/** Finish chunks for the choices that have none, such as after an early [DONE]; `malformed`: after a call that the model made wrongly. */
export function missingEnds(state: ChunkState, malformed = false): string[] {
  const open = [...state.choices].filter(([, choice]) => choice.finish === null);
  const choices = open.map(([index, choice]) => {
    const tools = choice.calls.calls.some((call) => call.started);
    choice.finish = malformed ? endOfMalformed({ tools, text: state.tally.characters > 0 }) : tools ? "tool_calls" : "stop";
    return { index, delta: {}, finish_reason: choice.finish };
  });
  return choices.length === 0 ? [] : [chunkText(state, choices)];
}

export function allEnded(state: ChunkState): boolean {
  return state.choices.size > 0 && endedOf(state).length === state.choices.size;
}

function endedOf({ choices }: ChunkState): ChoiceState[] {
  return [...choices.values()].filter(({ finish }) => finish !== null);
}

function readChoice(choice: Json, position: number, state: ChunkState, read: ReadChunk, first: Json[], second: Json[]): void {
  const { index: shown, delta: given, logprobs, finish_reason, message: _message, usage: _usage, ...rest } = choice;
  const index = typeof shown === "number" ? shown : position;
  if (!Number.isInteger(index) || index < 0 || index >= choicesMax) return;
  const own = choiceState(state, index);
  const { role: _role, tool_calls, ...said } = objectOf(given);
  const delta = hideInMembers(said, state.provider);
  normalizeContent(delta);
  if (delta["function_call"] === null) delete delta["function_call"];
  const { last } = own.calls;
  const { starts, pieces } = readCallDeltas(tool_calls, own.calls);
  if (own.calls.last !== last) read.steady = false; // a delta without an index continues the last call
  const tools = own.calls.calls.some((call) => call.started);
  const characters = countText(delta);
  const text = state.tally.characters + characters > 0;
  const finish = readFinish(finish_reason, { tools, legacy: "function_call" in delta, text }, rest["native_finish_reason"]);
  if (finish === "failed") {
    read.error = { message: "the upstream reports a failure in the answer" };
    return;
  }
  // OpenRouter repeats the finish reason beside the usage. Content after it is dropped, or the choice would not end with its finish reason.
  if (own.finish !== null) return;
  const called = [...starts, ...pieces].reduce((sum, piece) => sum + callLength(piece), 0);
  state.tally.characters += characters + called;
  const opening = own.roleSent ? {} : { role: "assistant" };
  if (!own.roleSent || starts.length > 0 || finish !== null) read.steady = false;
  own.roleSent = true;
  own.finish = finish ?? own.finish;
  if (finish !== null) Object.assign(state.tally, { finished: allEnded(state), ended: endedOf(state).length });
  if (textOf(delta["reasoning_content"])) state.tally.reasoned = true;
  const shownLogprobs = logprobs === undefined ? {} : { logprobs: readLogprobs(logprobs, delta["content"]) };
  const split = starts.length > 0 && pieces.length > 0; // the first delta of a call has empty arguments
  const calls = starts.length > 0 ? starts : pieces;
  const body = { ...opening, ...delta, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  first.push({ ...hideInMembers(rest, state.provider), index, delta: body, ...shownLogprobs, finish_reason: split ? null : finish });
  if (split) second.push({ index, delta: { tool_calls: pieces }, finish_reason: finish });
}

function choiceState(state: ChunkState, index: number): ChoiceState {
  let choice = state.choices.get(index);
  if (!choice) {
    choice = { calls: newCallsState(), roleSent: false, finish: null };
    state.choices.set(index, choice);
    state.tally.finished = false; // of several choices one may finish before another begins
  }
  return choice;
}

/** A tool's name counts as output. */
function callLength({ function: called }: Json): number {
  const { name, arguments: text } = objectOf(called);
  return (textOf(name)?.length ?? 0) + (textOf(text)?.length ?? 0);
}

function countText(delta: Json): number {
  const called = objectOf(delta["function_call"]);
  const texts = [delta["content"], delta["reasoning_content"], delta["refusal"], called["name"], called["arguments"]];
  return texts.reduce<number>((sum, text) => sum + (textOf(text)?.length ?? 0), 0);
}
