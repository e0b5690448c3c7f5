// A chat request as the simulator understands it. Looser than a real host: what it doesn't know it leaves alone,
// because the gateway's own checks are what is under test.
import { type Directives, patterns } from "../directive-list.ts";
import { readModelId } from "../directives.ts";
import { type Fields, isFields, readFields, readModel, readWhole, refuse } from "../request-fields.ts";
import type { Schema } from "../schema-sample.ts";
import { digest } from "../seed.ts";
import { tokensByEffort } from "../words.ts";

export interface ChatRequest {
  fields: Fields;
  model: string;
  directives: Directives;
  messages: Fields[];
  /** Text of the last user message. */
  userText: string;
  /** Everything that decides the answer's text. Streamed or not, longer or shorter, the words are the same. */
  seed: string;
  choices: number;
  tokensMax: number;
  stop: string[];
  stream: boolean;
  /** The tier that it is served at. */
  serviceTier: string;
  includeUsage: boolean;
  /** Null: no logprobs; else how many alternatives. */
  topLogprobs: number | null;
  /** Null: plain text. */
  documentSchema: Schema | null;
  reasoningTokens: number;
  /** Web searches that it makes before it answers: one where it may, or what the directive says. */
  searches: number;
}

export function readChatRequest(body: Buffer): ChatRequest {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  const messages = readMessages(fields["messages"]);
  const spoken = [name, messages, fields["tools"], fields["tool_choice"], fields["response_format"], fields["seed"]];
  return {
    fields,
    model,
    directives,
    messages,
    userText: textOf(messages.findLast((message) => message["role"] === "user")?.["content"]),
    seed: digest(JSON.stringify(spoken)),
    choices: readWhole(fields, "n", 1, 128) ?? 1,
    tokensMax: readWhole(fields, "max_completion_tokens", 1, 1e9) ?? readWhole(fields, "max_tokens", 1, 1e9) ?? Number.POSITIVE_INFINITY,
    stop: readStop(fields["stop"]),
    stream: fields["stream"] === true,
    serviceTier: servedTier(fields["service_tier"], directives),
    includeUsage: isFields(fields["stream_options"]) && fields["stream_options"]["include_usage"] === true,
    topLogprobs: readTopLogprobs(fields, directives),
    documentSchema: readDocumentSchema(fields["response_format"]),
    reasoningTokens: directives.reasoningTokens ?? reasoningTokens(name, fields),
    searches: isFields(fields["web_search_options"]) ? (directives.searches ?? 1) : 0,
  };
}

function servedTier(asked: unknown, directives: Directives): string {
  if (directives.tier !== undefined) return patterns.tier.words[directives.tier]!;
  return asked === "flex" || asked === "priority" ? asked : "default";
}

/** The text of a message's content, of its text parts where it has parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isFields(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

function readMessages(messages: unknown): Fields[] {
  if (!Array.isArray(messages) || messages.length === 0)
    refuse("messages", "Invalid 'messages': expected an array with at least one message.");
  for (const [index, message] of messages.entries()) {
    if (!isFields(message) || typeof message["role"] !== "string")
      refuse(`messages[${index}].role`, `Invalid 'messages[${index}]': a message has a role.`);
  }
  return messages as Fields[];
}

function readStop(stop: unknown): string[] {
  const list = Array.isArray(stop) ? stop : [stop];
  return list.filter((text): text is string => typeof text === "string" && text !== "");
}

/** `logprobs: true` with `top_logprobs`, or the older `logprobs: N`. */
function readTopLogprobs(fields: Fields, directives: Directives): number | null {
  if (directives.noLogprobs) return null;
  if (directives.rejectLogprobs && (fields["logprobs"] ?? false) !== false)
    refuse("logprobs", "Unsupported parameter: 'logprobs' is not supported with this model.", "unsupported_parameter");
  if (typeof fields["logprobs"] === "number") return Math.min(Math.max(fields["logprobs"], 0), 20);
  const top = readWhole(fields, "top_logprobs", 0, 20);
  if (fields["logprobs"] !== true) {
    if (top !== null) refuse("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
    return null;
  }
  return top ?? 0;
}

function readDocumentSchema(format: unknown): Schema | null {
  if (!isFields(format)) return null;
  if (format["type"] === "json_object")
    return { type: "object", properties: { answer: { type: "string" }, confidence: { type: "number", minimum: 0, maximum: 1 } } };
  if (format["type"] !== "json_schema") return null;
  const wrapped = format["json_schema"];
  if (!isFields(wrapped) || !isFields(wrapped["schema"]))
    refuse("response_format.json_schema.schema", "Missing 'response_format.json_schema.schema'.");
  return wrapped["schema"];
}

/** A model whose name contains `reason` thinks unless the request forbids it; any model thinks when the request asks for it. */
function reasoningTokens(name: string, fields: Fields): number {
  const { reasoning, thinking } = fields;
  const effort = isFields(reasoning) ? (reasoning["effort"] ?? fields["reasoning_effort"]) : fields["reasoning_effort"];
  const off = (isFields(reasoning) && reasoning["enabled"] === false) || (isFields(thinking) && thinking["type"] === "disabled");
  if (off || fields["enable_thinking"] === false) return 0;
  if (typeof effort === "string")
    return tokensByEffort[effort] ?? refuse("reasoning_effort", `Unsupported value: '${effort}'.`, "unsupported_value");
  const asked = isFields(reasoning) || (isFields(thinking) && thinking["type"] !== undefined) || fields["enable_thinking"] === true;
  if (!asked && !name.includes("reason")) return 0;
  const budget = isFields(reasoning) ? reasoning["max_tokens"] : isFields(thinking) ? thinking["budget_tokens"] : undefined;
  const usual = tokensByEffort["medium"]!;
  return typeof budget === "number" && budget > 0 ? Math.min(usual, Math.floor(budget)) : usual;
}
