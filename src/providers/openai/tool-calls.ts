// Normalises tool calls of whole messages and of deltas to the form that strict clients take (docs/behaviour/streams.md#tool-calls).
import { randomUUID } from "node:crypto";
import { unreadable } from "../transport/json.ts";
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";

/** Changes the message in place and removes an empty list. Returns whether there are any calls. */
export function normalizeWholeCalls(message: Json): boolean {
  const calls = arrayOf(message["tool_calls"]).filter(isObject);
  if (message["function_call"] === null) delete message["function_call"];
  delete message["tool_calls"];
  if (calls.length === 0) return false;
  message["tool_calls"] = calls.map(({ index: _index, ...call }) => {
    const called = objectOf(call["function"]);
    const named = { ...called, name: textOf(called["name"]) ?? "", arguments: argumentsText(called["arguments"]) || "{}" };
    return { ...call, id: textOf(call["id"]) ?? newCallId(), type: "function", function: named };
  });
  return true;
}

/** What one choice's stream has shown of its calls. */
export interface CallsState {
  calls: { id: string | null; started: boolean; held: string }[];
  /** Upstream's index → ours: some hosts give every call index 0, some no index. */
  byIndex: Map<number, number>;
  last: number;
}

export interface CallDeltas {
  /** First deltas, with id, type, name and empty arguments. */
  starts: Json[];
  /** Later deltas: index and arguments only. */
  pieces: Json[];
}

/** Of one choice. Bounds memory: each call is remembered, and no host sends nearly as many. */
const callsMax = 4_096;

export function newCallsState(): CallsState {
  return { calls: [], byIndex: new Map(), last: -1 };
}

/** Characters of arguments that may come before their call has a name, or at once. */
const heldMax = 4_194_304;

/** A call delivered whole becomes a first delta and a later one. */
export function readCallDeltas(value: unknown, state: CallsState): CallDeltas {
  const deltas: CallDeltas = { starts: [], pieces: [] };
  for (const delta of arrayOf(value)) {
    if (!isObject(delta)) continue;
    const index = ourIndex(delta, state);
    const call = state.calls[index]!;
    const called = objectOf(delta["function"]);
    call.id ??= textOf(delta["id"]);
    call.held += argumentsText(called["arguments"]);
    if (call.held.length > heldMax) throw unreadable("too much waits for a tool call's name");
    const name = textOf(called["name"]);
    if (!call.started && name !== null) {
      call.started = true;
      call.id ??= newCallId();
      const { id: _id, type: _type, index: _index, function: _function, ...extra } = delta; // `extra` keeps Gemini's thought_signature
      deltas.starts.push({ index, id: call.id, type: "function", function: { name, arguments: "" }, ...extra });
    }
    if (!call.started || (call.held === "" && name !== null)) continue; // the first delta needs a name
    deltas.pieces.push({ index, function: { arguments: call.held } });
    call.held = "";
  }
  return deltas;
}

function ourIndex(delta: Json, state: CallsState): number {
  const shown = delta["index"];
  const id = textOf(delta["id"]);
  const named = textOf(objectOf(delta["function"])["name"]) !== null;
  let index = typeof shown === "number" ? state.byIndex.get(shown) : indexWithout(id, named, state);
  const known = index === undefined ? undefined : state.calls[index];
  // Another id with a name of its own is another call, whatever the index.
  if (!known || (known.started && named && id !== null && known.id !== null && id !== known.id)) {
    if (state.calls.length >= callsMax) throw unreadable("too many tools are called");
    index = state.calls.push({ id: null, started: false, held: "" }) - 1;
    if (typeof shown === "number") state.byIndex.set(shown, index);
  }
  state.last = index!;
  return index!;
}

/** Gemini sends no index. A known id continues its call, a name starts one, anything else continues the last. */
function indexWithout(id: string | null, named: boolean, state: CallsState): number | undefined {
  const known = id === null ? -1 : state.calls.findIndex((call) => call.id === id);
  if (known !== -1) return known;
  return named || state.last === -1 ? undefined : state.last;
}

/** Some hosts send the arguments as an object. */
function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

function newCallId(): string {
  return `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
