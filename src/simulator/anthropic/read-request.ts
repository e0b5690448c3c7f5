// A request for a message as the simulator understands it, once check-*.ts have found that a real host would take it.
import type { Knobs } from "../knob-list.ts";
import { readModelId } from "../knobs.ts";
import { refuse } from "../refused.ts";
import { type Fields, isFields, readFields } from "../request-fields.ts";
import type { Schema } from "../schema-sample.ts";
import { digest } from "../seed.ts";
import { tokensByEffort } from "../words.ts";
import { checkFields, countFields, messageFields } from "./check-fields.ts";
import { checkMessages } from "./check-messages.ts";
import { checkSampling, checkThinking } from "./check-thinking.ts";
import { checkTools } from "./check-tools.ts";

export interface MessageRequest {
  fields: Fields;
  model: string;
  knobs: Knobs;
  messages: Fields[];
  /** Text of the last user message, without tool results. */
  userText: string;
  /** The last message brings results of tools. */
  hasResults: boolean;
  /** Everything that decides what is said. Streamed or not, longer or shorter, the words are the same. */
  seed: string;
  tokensMax: number;
  stop: string[];
  stream: boolean;
  /** Null: plain text. */
  documentSchema: Schema | null;
  thinkingTokens: number;
  /** `display: omitted`: thinking is signed, counted and not shown. */
  hidesThinking: boolean;
}

/** `version` is the header anthropic-version. A count takes fewer fields, and no max_tokens. */
export function readMessageRequest(body: Buffer, version: string, purpose: "answer" | "count"): MessageRequest {
  if (version === "") refuse(null, "anthropic-version: header is required");
  const fields = readFields(body);
  const { model } = fields;
  if (typeof model !== "string" || model === "") refuse("model", "model: Field required");
  const { name, knobs } = readModelId(model);
  // The tool runner of @anthropic-ai/sdk 1.x asks for it, and sends the whole conversation once it reads this code.
  if (fields["thread"] !== undefined)
    refuse("thread", "Threads are not supported here. Send the full conversation without `thread`.", "thread_unsupported_request");
  checkFields(fields, purpose === "answer" ? messageFields : countFields);
  if (purpose === "answer") {
    const most = fields["max_tokens"];
    if (most === undefined) refuse("max_tokens", "max_tokens: Field required");
    if (typeof most !== "number" || !Number.isInteger(most)) refuse("max_tokens", "max_tokens: Input should be a valid integer");
    if (most < 1) refuse("max_tokens", "max_tokens: Input should be greater than or equal to 1");
  }
  checkSampling(fields, knobs, version);
  checkTools(fields);
  const messages = checkMessages(fields, knobs);
  checkThinking(fields, knobs, messages);
  const last = messages.at(-1)!;
  const { thinking, output_config: output } = fields;
  const format = isFields(output) ? output["format"] : undefined;
  const spoken = [name, messages, fields["system"], fields["tools"], fields["tool_choice"], format];
  return {
    fields,
    model,
    knobs,
    messages,
    userText: textOf(messages.findLast((message) => message["role"] === "user")?.["content"]),
    hasResults: Array.isArray(last["content"]) && last["content"].some((block) => isFields(block) && block["type"] === "tool_result"),
    seed: digest(JSON.stringify(spoken)),
    tokensMax: purpose === "answer" ? (fields["max_tokens"] as number) : Number.POSITIVE_INFINITY,
    stop: Array.isArray(fields["stop_sequences"]) ? (fields["stop_sequences"] as string[]) : [],
    stream: fields["stream"] === true,
    documentSchema: isFields(format) && isFields(format["schema"]) ? format["schema"] : null,
    thinkingTokens: knobs.reasoningTokens ?? thinkingTokens(thinking, output),
    hidesThinking: isFields(thinking) && thinking["display"] === "omitted",
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isFields(block) && block["type"] === "text" ? String(block["text"]) : "")).join("");
}

/** A model thinks when it is told to, whatever its name; unlike a budget, an effort says how long. */
function thinkingTokens(thinking: unknown, output: unknown): number {
  if (!isFields(thinking) || thinking["type"] === "disabled") return 0;
  const effort = isFields(output) ? output["effort"] : undefined;
  if (typeof effort === "string") return tokensByEffort[effort]!;
  return tokensByEffort[thinking["type"] === "enabled" ? "medium" : "high"]!;
}
