// A v2 chat request as the simulator answers it, once a real host would take it: known fields of the right type, results of tools right
// after their calls.
import { readModelId } from "../directives.ts";
import { type ChatRequest, textOf } from "../openai/chat-request.ts";
import { type Fields, isFields, readFields, readModel, readWhole, refuse } from "../request-fields.ts";
import { digest } from "../seed.ts";
import { tokensByEffort } from "../words.ts";

export type CohereRequest = ChatRequest;

const known = new Set(
  (
    "model messages tools strict_tools documents citation_options response_format safety_mode max_tokens stop_sequences temperature seed " +
    "frequency_penalty presence_penalty k p logprobs tool_choice thinking priority stream"
  ).split(" "),
);
const roles = new Set(["system", "user", "assistant", "tool"]);
const messageFields = new Set(["role", "content", "tool_calls", "tool_plan", "tool_call_id", "citations"]);

export function readCohereRequest(body: Buffer): CohereRequest {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  for (const field of Object.keys(fields)) if (!known.has(field)) refuse(field, `invalid request: unknown field: parameter '${field}'`);
  const messages = checkMessages(fields["messages"]);
  checkNumbers(fields);
  const { tools, tool_choice: choice, response_format: format, thinking, stop_sequences: stop } = fields;
  if (choice !== undefined && choice !== "REQUIRED" && choice !== "NONE")
    refuse("tool_choice", "invalid request: tool_choice must be REQUIRED or NONE");
  if (choice !== undefined && !Array.isArray(tools)) refuse("tool_choice", "invalid request: tool_choice needs tools");
  for (const tool of Array.isArray(tools) ? (tools as unknown[]) : [])
    if (!isFields(tool) || !isFields(tool["function"]) || !isFields(tool["function"]["parameters"]))
      refuse("tools", "invalid request: a tool needs a function with parameters");
  const spoken = [name, messages, tools, choice, format, fields["seed"]];
  return {
    fields: { ...(Array.isArray(tools) ? { tools } : {}), ...(choice === undefined ? {} : { tool_choice: String(choice).toLowerCase() }) },
    model,
    directives,
    messages,
    userText: textOf(messages.findLast(({ role }) => role === "user")?.["content"]),
    seed: digest(JSON.stringify(spoken)),
    choices: 1,
    tokensMax: readWhole(fields, "max_tokens", 1, 1e9) ?? Number.POSITIVE_INFINITY,
    stop: Array.isArray(stop) ? (stop as string[]) : [],
    stream: fields["stream"] === true,
    serviceTier: "default",
    includeUsage: true,
    topLogprobs: null,
    documentSchema: documentSchema(format),
    reasoningTokens: directives.reasoningTokens ?? thoughtTokens(name, thinking),
    searches: 0,
  };
}

function checkMessages(given: unknown): Fields[] {
  if (!Array.isArray(given) || given.length === 0) refuse("messages", "invalid request: messages must not be empty");
  let open = new Set<unknown>();
  for (const [index, message] of given.entries()) {
    if (!isFields(message) || !roles.has(String(message["role"])))
      refuse("messages", `invalid request: messages[${index}] has no valid role`);
    for (const field of Object.keys(message))
      if (!messageFields.has(field)) refuse("messages", `invalid request: unknown field: parameter 'messages[${index}].${field}'`);
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (role === "tool") {
      if (!open.delete(id)) refuse("messages", `invalid request: cannot find a tool call for the tool result ${String(id)}`);
    } else if (open.size > 0) refuse("messages", "invalid request: all tool calls must have a result");
    if (role === "assistant" && Array.isArray(calls)) open = new Set((calls as Fields[]).map((call) => call["id"]));
    else if (content === undefined || content === "" || (Array.isArray(content) && content.length === 0))
      refuse("messages", "invalid request: message must be at least 1 token long or tool results must be specified.");
  }
  if ((given.at(-1) as Fields)["role"] === "assistant") refuse("messages", "invalid request: the last message must not be the assistant's");
  return given as Fields[];
}

function checkNumbers(fields: Fields): void {
  const bounds = { temperature: [0, 1], p: [0.01, 0.99], k: [0, 500], frequency_penalty: [0, 1], presence_penalty: [0, 1] } as const;
  for (const [name, [min, max]] of Object.entries(bounds)) {
    const value = fields[name];
    if (value !== undefined && (typeof value !== "number" || value < min || value > max))
      refuse(name, `invalid request: ${name} must be between ${min} and ${max} inclusive.`);
  }
  if (fields["frequency_penalty"] !== undefined && fields["presence_penalty"] !== undefined)
    refuse("presence_penalty", "invalid request: cannot specify both frequency_penalty and presence_penalty.");
}

function documentSchema(format: unknown): Fields | null {
  if (!isFields(format) || format["type"] !== "json_object") return null;
  return isFields(format["json_schema"]) ? format["json_schema"] : { type: "object", properties: { answer: { type: "string" } } };
}

/** A model whose name contains `reason` thinks unless the request forbids it; any model thinks when the request asks for it. */
function thoughtTokens(name: string, thinking: unknown): number {
  const usual = tokensByEffort["medium"]!;
  if (!isFields(thinking)) return name.includes("reason") ? usual : 0;
  if (thinking["type"] === "disabled") return 0;
  const { token_budget: budget } = thinking;
  return typeof budget === "number" ? Math.min(usual, budget) : usual;
}
