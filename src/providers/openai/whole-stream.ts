// The pieces of a whole answer told as a stream. The records obey the same rules as chunk.ts's (WIRE.md 2.2).
import { toldStream } from "../transport/replay-stream.ts";
import type { ChatStream, ChatTally, ChatWhole } from "../types.ts";
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";
import { foreignKeys } from "./response.ts";

export function streamOfWhole({ completion, usage }: ChatWhole, signal: AbortSignal): ChatStream {
  const { id, created, model } = completion;
  const tally: ChatTally = { usage, deltas: 0, characters: 0, prompt: null, id, created };
  const foreign = foreignKeys(completion);
  const pieces = completion.choices.flatMap(choiceDeltas).map(({ choice, characters }) => {
    const record = { id, object: "chat.completion.chunk", created, model, ...foreign, choices: [choice] };
    return { record: { json: JSON.stringify(record) }, characters };
  });
  return toldStream(pieces, tally, signal);
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
