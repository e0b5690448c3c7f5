// What an adapter of messages takes and gives, in the Anthropic dialect. Types only.
import type { components } from "../../../generated/api.d.ts";
import type { JsonText } from "../json/text.ts";
import type { AnswerStream, Tally, UpstreamCall, Whole } from "../types.ts";

type Message = components["schemas"]["Message"];

/** A message request in the Anthropic dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface MessageCall extends UpstreamCall {
  body: JsonText;
  stream: boolean;
  /** As in ChatCall. */
  outputMax: number;
  /** Estimate of the prompt's tokens, for a message_start whose upstream has not said them yet. Never rejects. */
  promptTokens: () => Promise<number>;
  /** The caller's `anthropic-beta` header, for upstreams of the same dialect; null: none. */
  betas: string | null;
}

/** A whole message in the Anthropic dialect, without its usage. */
export interface MessageWhole extends Whole {
  message: Omit<Message, "usage">;
  /** Characters of thinking that the caller didn't want to see: they were written all the same. Absent: none. */
  hiddenCharacters?: number;
}

/**
 * One event of a streamed message from `message_start` (its usage an estimate, `output_tokens` 0) to the last
 * `content_block_stop`. `message_delta` and `message_stop` are left out: they carry the charge, so the gateway writes them.
 */
export interface MessageRecord {
  event: "message_start" | "ping" | "content_block_start" | "content_block_delta" | "content_block_stop";
  json: string;
}

export interface MessageTally extends Tally {
  /** Why the message ended; null until it has. */
  end: MessageEnd | null;
}

/** What `message_delta` says beside the usage. */
export type MessageEnd = Pick<Message, "stop_reason" | "stop_sequence" | "stop_details">;

export type MessageStream = AnswerStream<MessageRecord, MessageTally>;

export type Messages = (call: MessageCall) => Promise<MessageWhole | MessageStream>;
