// A request for a message as the simulator understands it, once check-*.ts have found that a real host would take it.
import type { Directives } from "../directive-list.ts";
import { readModelId } from "../directives.ts";
import { type Fields, isFields, readFields, refuse } from "../request-fields.ts";
import type { Schema } from "../schema-sample.ts";
import { digest } from "../seed.ts";
import { tokensByEffort } from "../words.ts";
import { checkFields, checkTools, countFields, messageFields, onlyKnown } from "./check-fields.ts";
import { checkMessages, mergeTurns } from "./check-messages.ts";

export interface MessageRequest {
  fields: Fields;
  model: string;
  directives: Directives;
  messages: Fields[];
  /** Text of the last user message, without tool results. */
  userText: string;
  /** The last message brings results of tools. */
  hasResults: boolean;
  /** Everything that decides the answer's text. Streamed or not, longer or shorter, the words are the same. */
  seed: string;
  tokensMax: number;
  stop: string[];
  stream: boolean;
  /** Null: plain text. */
  documentSchema: Schema | null;
  thinkingTokens: number;
  /** Web searches that it makes before it answers: one where it may, or what the directive says, however many may be. */
  searches: number;
  /** The same of pages that it fetches from the web. */
  fetches: number;
  /** `display: omitted`: thinking is signed, counted and not shown. */
  hidesThinking: boolean;
}

/** `version` is the header anthropic-version. A count takes fewer fields, and no max_tokens. */
export function readMessageRequest(body: Buffer, version: string, purpose: "answer" | "count"): MessageRequest {
  if (version === "") refuse(null, "anthropic-version: header is required");
  const fields = readFields(body);
  const { model } = fields;
  if (typeof model !== "string" || model === "") refuse("model", "model: Field required");
  const { name, directives } = readModelId(model);
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
  checkSampling(fields, directives, version);
  checkTools(fields);
  const messages = checkMessages(fields, directives);
  checkThinking(fields, directives, messages);
  const last = messages.at(-1)!;
  const { thinking, output_config: output } = fields;
  const format = isFields(output) ? output["format"] : undefined;
  const spoken = [name, messages, fields["system"], fields["tools"], fields["tool_choice"], format];
  return {
    fields,
    model,
    directives,
    messages,
    userText: textOf(messages.findLast((message) => message["role"] === "user")?.["content"]),
    hasResults: Array.isArray(last["content"]) && last["content"].some((block) => isFields(block) && block["type"] === "tool_result"),
    seed: digest(JSON.stringify(spoken)),
    tokensMax: purpose === "answer" ? (fields["max_tokens"] as number) : Number.POSITIVE_INFINITY,
    stop: Array.isArray(fields["stop_sequences"]) ? (fields["stop_sequences"] as string[]) : [],
    stream: fields["stream"] === true,
    documentSchema: isFields(format) && isFields(format["schema"]) ? format["schema"] : null,
    thinkingTokens: directives.reasoningTokens ?? thinkingTokens(thinking, output),
    searches: offers("web_search", fields["tools"]) ? (directives.searches ?? 1) : 0,
    fetches: offers("web_fetch", fields["tools"]) ? (directives.fetches ?? 1) : 0,
    hidesThinking: isFields(thinking) && thinking["display"] === "omitted",
  };
}

function offers(name: string, tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isFields(tool) && String(tool["type"]).replace(/_\d+$/, "") === name);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (isFields(block) && block["type"] === "text" ? String(block["text"]) : "")).join("");
}

/** A model thinks when the request asks for it, whatever its name; unlike a budget, an effort says how long. */
function thinkingTokens(thinking: unknown, output: unknown): number {
  if (!isFields(thinking) || thinking["type"] === "disabled") return 0;
  const effort = isFields(output) ? output["effort"] : undefined;
  if (typeof effort === "string") return tokensByEffort[effort]!;
  return tokensByEffort[thinking["type"] === "enabled" ? "medium" : "high"]!;
}

// What excludes what: thinking, sampling, forced tools, and the models of either generation.

const samplingFields = ["temperature", "top_p", "top_k"] as const;
/** From this version of the API on, sampling parameters are refused whatever the model. */
const withoutSampling = "2026-10-21";
const budgetMin = 1024;

function checkSampling(fields: Fields, directives: Directives, version: string): void {
  const { temperature, top_p: topP, top_k: topK } = fields;
  for (const name of samplingFields) {
    if (fields[name] === undefined) continue;
    if (version >= withoutSampling) refuse(name, `${name}: Extra inputs are not permitted`);
    if (directives.adaptiveOnly) refuse(name, `\`${name}\` is deprecated for this model.`);
    if (typeof fields[name] !== "number") refuse(name, `${name}: Input should be a valid number`);
  }
  if (Number(temperature) > 1) refuse("temperature", "temperature: Input should be less than or equal to 1");
  if (Number(temperature) < 0) refuse("temperature", "temperature: Input should be greater than or equal to 0");
  if (Number(topP) > 1 || Number(topP) < 0) refuse("top_p", "top_p: Input should be from 0 to 1");
  if (Number(topK) < 0 || !Number.isInteger(topK ?? 0)) refuse("top_k", "top_k: Input should be a whole number from 0");
}

function checkThinking(fields: Fields, directives: Directives, messages: readonly Fields[]): void {
  const { thinking, output_config: output } = fields;
  if (directives.budgetOnly && isFields(output) && typeof output["effort"] === "string")
    refuse("output_config", "This model does not support the effort parameter.");
  if (thinking === undefined || thinking === null) return;
  if (!isFields(thinking)) refuse("thinking", "thinking: Input should be a valid dictionary or object to extract fields from");
  const { type, budget_tokens: budget } = thinking;
  if (type === "disabled") return onlyKnown(thinking, new Set(["type"]), "thinking.disabled.");
  if (type === "enabled") {
    if (directives.adaptiveOnly) {
      const instead = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
      refuse("thinking", `"thinking.type.enabled" is not supported for this model. ${instead}`);
    }
    onlyKnown(thinking, new Set(["type", "budget_tokens", "display"]), "thinking.enabled.");
    checkBudget(budget, fields["max_tokens"]);
    checkStartsWithThinking(messages);
    checkSamplingWithThinking(fields);
  } else if (type === "adaptive" || type === "between_tools") {
    if (directives.budgetOnly) refuse("thinking", "adaptive thinking is not supported on this model");
    onlyKnown(thinking, new Set(["type", "display"]), `thinking.${type}.`);
  } else {
    const tags = "'adaptive', 'between_tools', 'disabled', 'enabled'";
    refuse("thinking", `thinking: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${tags}`);
  }
  const choice = fields["tool_choice"];
  if (isFields(choice) && (choice["type"] === "any" || choice["type"] === "tool"))
    refuse("tool_choice", "Thinking may not be enabled when tool_choice forces tool use.");
}

function checkBudget(budget: unknown, most: unknown): void {
  if (budget === undefined) refuse("thinking", "thinking.enabled.budget_tokens: Field required");
  if (typeof budget !== "number" || !Number.isInteger(budget))
    refuse("thinking", "thinking.enabled.budget_tokens: Input should be a valid integer");
  if (budget < budgetMin) refuse("thinking", `thinking.enabled.budget_tokens: Input should be greater than or equal to ${budgetMin}`);
  if (typeof most === "number" && budget >= most)
    refuse("thinking", "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation");
}

function checkSamplingWithThinking({ temperature, top_p: topP, top_k: topK }: Fields): void {
  if (temperature !== undefined && temperature !== 1) refuse("temperature", "`temperature` may only be set to 1 when thinking is enabled.");
  if (topP !== undefined && Number(topP) < 0.95)
    refuse("top_p", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  if (topK !== undefined) refuse("top_k", "`top_k` must be unset when thinking is enabled.");
}

/** After results of tools, the turn that called them has to have begun with thinking. */
function checkStartsWithThinking(messages: readonly Fields[]): void {
  const turns = mergeTurns(messages);
  const last = turns.at(-1)!;
  if (last.role !== "user" || !last.blocks.some(({ type }) => type === "tool_result")) return;
  const called = turns.at(-2);
  const first = called?.blocks[0]?.["type"];
  if (first === "thinking" || first === "redacted_thinking") return;
  const message =
    `messages.${called?.at ?? 0}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. ` +
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block.";
  refuse("messages", message);
}
