// What an adapter of messages takes and returns, in the Anthropic dialect. Types only.
import type { components } from "../../../generated/api.d.ts";
import type { ServerTool } from "../../../generated/withheld-fields.ts";
import type { JsonText } from "../json/splice.ts";
import type { AnswerStream, Tally, UpstreamCall, Whole } from "../types.ts";

type Message = components["schemas"]["Message"];

/** A message request in the Anthropic dialect, as JSON text: the caller's bytes with only our edits spliced in. */
export interface MessageCall extends UpstreamCall {
  body: JsonText;
  stream: boolean;
  /** As in ChatCall. */
  outputMax: number;
  /** Estimates the prompt's tokens, for a message_start whose upstream has not reported them yet. Never rejects. */
  promptTokens: () => Promise<number>;
  /** The caller's `anthropic-beta` header, for upstreams of the same dialect; null: none. */
  betas: string | null;
  /** The tools that the provider may run. */
  serverTools: readonly ServerTool[];
}

/** A whole message in the Anthropic dialect, without its usage. */
export interface MessageWhole extends Whole {
  message: Omit<Message, "usage">;
  /** Characters of thinking that are hidden from the caller but count as output. Absent: none. */
  hiddenCharacters?: number;
}

/**
 * One event of a streamed message from `message_start` (its usage an estimate, `output_tokens` 0) to the last `content_block_stop`.
 * The gateway writes `message_delta` and `message_stop`, because they carry the charge.
 */
export interface MessageRecord {
  event: "message_start" | "ping" | "content_block_start" | "content_block_delta" | "content_block_stop";
  json: string;
}

export interface MessageTally extends Tally {
  /** Stop reason and its details; null until the message has ended. */
  end: MessageEnd | null;
}

/** The members of `message_delta` besides the usage. */
export type MessageEnd = Pick<Message, "stop_reason" | "stop_sequence" | "stop_details">;

export type MessageStream = AnswerStream<MessageRecord, MessageTally>;

export type Messages = (call: MessageCall) => Promise<MessageWhole | MessageStream>;
