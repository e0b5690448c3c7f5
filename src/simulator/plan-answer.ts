// From an answer's words to a plan, whole or streamed: what is kept for the next time, and what is too much.
import type { Knobs } from "./knob-list.ts";
import { hasFault } from "./knobs.ts";
import { jsonReply, type Plan } from "./protocol.ts";
import { refuse } from "./refused.ts";

/** A stream up to here is made once and kept as text; a longer one is made anew as it is sent. */
const keptTokensMax = 1000;
/** A record's JSON, roughly. */
const bytesPerRecord = 300;
/** An answer in one piece is held in memory; the records of a stream aren't. */
const wholeBytesMax = 64 * 1024 * 1024;

export interface Answered {
  model: string;
  knobs: Knobs;
  stream: boolean;
  tokens: number;
  /** What a record carries beside the usual. */
  extraBytesPerToken: number;
  /** The whole document, as JSON text. */
  whole(): string;
  records(): Iterable<string>;
  terminator: string;
}

export function planAnswer({ model, knobs, stream, tokens, extraBytesPerToken, whole, records, terminator }: Answered): Plan {
  const bytes = tokens * Math.max(knobs.bigBytes ?? 0, bytesPerRecord + extraBytesPerToken);
  if (!stream) {
    if (bytes > wholeBytesMax) refuse("model", "An answer of more than 64 MB can only be streamed.");
    return { model, knobs, reply: jsonReply(200, whole()), bytes };
  }
  const keeps = tokens <= keptTokensMax && knobs.bigBytes === undefined && !hasFault(knobs);
  let kept: string[] | null = null;
  return { model, knobs, reply: { kind: "stream", records: () => (keeps ? (kept ??= [...records()]) : records()), terminator }, bytes };
}
