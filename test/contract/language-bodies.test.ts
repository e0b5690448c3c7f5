// What the language endpoints take and refuse before any rule that depends on the model: the generated validators, and the
// field that the edge names from what they find.
import { describe, expect, test } from "vitest";
import type { OperationId } from "../../generated/operations.ts";
import { bodies } from "../../generated/validators.js";
import { ApiError } from "../../src/errors/fail.ts";
import { failInvalid } from "../../src/server/invalid.ts";
import { faultsOf } from "../support/contract.ts";
import { operation } from "./read-contract.ts";

const user = { role: "user", content: "hi" };
const chat = { model: "m", messages: [user] };
const message = { model: "m", messages: [user] };
const decision = { state: "s", questions: { q: { type: "choice", criteria: { yes: null, no: "It is not so." } } } };

const taken: [OperationId, string, unknown][] = [
  ["createChatCompletion", "the least", chat],
  ["createChatCompletion", "null where SDKs send it for nothing", { ...chat, temperature: null, top_p: null, max_tokens: null, max_completion_tokens: null, stop: null, stream: null, tools: null, tool_choice: null, response_format: null, n: null, stream_options: null, reasoning_effort: null }], // prettier-ignore
  ["createChatCompletion", "every role", { model: "m", messages: ["developer", "system", "user", "assistant", "tool", "function"].map((role) => ({ role, content: "x" })) }], // prettier-ignore
  ["createChatCompletion", "fields that nobody knows", { ...chat, seed: 7, logit_bias: { "50256": -100 }, made_up: [1, { a: null }] }],
  ["createChatCompletion", "content parts, known and unknown", { model: "m", messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }, { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }, { type: "hologram", data: 1 }] }] }], // prettier-ignore
  ["createChatCompletion", "a tool round", { ...chat, messages: [user, { role: "assistant", content: null, tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] }, { role: "tool", tool_call_id: "c", content: "1" }], tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }], tool_choice: "auto" }], // prettier-ignore
  [
    "createChatCompletion",
    "a schema for the answer",
    { ...chat, response_format: { type: "json_schema", json_schema: { name: "x", schema: {} } } },
  ],
  ["createMessage", "no max_tokens, which is the model's then", message],
  ["createMessage", "thinking without a budget", { ...message, thinking: { type: "enabled" } }],
  ["createMessage", "a tool round in blocks", { model: "m", messages: [user, { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "" }, { type: "tool_use", id: "t1", name: "f", input: {} }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "1" }] }] }] }], // prettier-ignore
  ["createMessage", "thinking without its signature, which some clients drop", { model: "m", messages: [user, { role: "assistant", content: [{ type: "thinking", thinking: "t" }] }] }], // prettier-ignore
  ["createMessage", "blocks of unknown kinds, for the endpoint to refuse by name", { model: "m", messages: [{ role: "assistant", content: [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }, { type: "web_search_tool_result", tool_use_id: "s", content: [] }] }, { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "tool_reference", tool_name: "f" }] }] }] }], // prettier-ignore
  ["createMessage", "what Anthropic's clients send beside the conversation", { ...message, metadata: { user_id: "u" }, service_tier: "auto", cache_control: { type: "ephemeral", ttl: "1h" }, output_config: { effort: "high", format: { type: "json_schema", schema: {} } }, context_management: {} }], // prettier-ignore
  ["countMessageTokens", "a request as it would be sent", { ...message, max_tokens: 5, stream: true }],
  ["createCompletion", "one prompt in an array", { model: "m", prompt: ["a"], stop: ["1", "2", "3", "4"] }],
  ["createCompletion", "no prompt, for the endpoint to name the other path", { model: "m" }],
  ["createCompletion", "more than it serves, for the same reason", { model: "m", prompt: ["a", "b"], suffix: "c", stop: ["1", "2", "3", "4", "5"] }], // prettier-ignore
  ["createCompletion", "a prompt of tokens, likewise", { model: "m", prompt: [1, 2] }],
  ["createEmbeddings", "one text", { model: "m", input: "a" }],
  ["createEmbeddings", "several texts as base64", { model: "m", input: ["a", "b"], encoding_format: "base64" }],
  ["createRerank", "fields of the model", { model: "m", query: "q", documents: ["a"], top_n: 1, truncation: true }],
  ["createDecision", "no model", decision],
  ["createDecision", "a state in parts", { ...decision, state: [{ type: "text", text: "s" }] }],
  ["createSystemOneDecision", "the same body", decision],
];

const refused: [OperationId, string, "missing_parameter" | "invalid_parameter", unknown][] = [
  ["createChatCompletion", "model", "missing_parameter", { messages: [user] }],
  ["createChatCompletion", "model", "invalid_parameter", { ...chat, model: "" }],
  ["createChatCompletion", "messages", "missing_parameter", { model: "m" }],
  ["createChatCompletion", "messages", "invalid_parameter", { model: "m", messages: [] }],
  ["createChatCompletion", "messages[1].role", "invalid_parameter", { model: "m", messages: [user, { role: "bot", content: "x" }] }],
  ["createChatCompletion", "messages[0].role", "missing_parameter", { model: "m", messages: [{ content: "x" }] }],
  ["createChatCompletion", "messages[0].content", "invalid_parameter", { model: "m", messages: [{ role: "user", content: 5 }] }],
  ["createChatCompletion", "temperature", "invalid_parameter", { ...chat, temperature: 2.1 }],
  ["createChatCompletion", "top_p", "invalid_parameter", { ...chat, top_p: -0.1 }],
  ["createChatCompletion", "max_tokens", "invalid_parameter", { ...chat, max_tokens: 0 }],
  ["createChatCompletion", "max_tokens", "invalid_parameter", { ...chat, max_tokens: 1.5 }],
  ["createChatCompletion", "stream", "invalid_parameter", { ...chat, stream: "true" }],
  ["createChatCompletion", "reasoning_effort", "invalid_parameter", { ...chat, reasoning_effort: "huge" }],
  ["createChatCompletion", "reasoning.max_tokens", "invalid_parameter", { ...chat, reasoning: { max_tokens: 0 } }],
  ["createChatCompletion", "response_format.json_schema", "missing_parameter", { ...chat, response_format: { type: "json_schema" } }],
  ["createChatCompletion", "tools[0].function.name", "missing_parameter", { ...chat, tools: [{ type: "function", function: {} }] }],
  ["createMessage", "messages[0].role", "invalid_parameter", { model: "m", messages: [{ role: "tool", content: "x" }] }],
  ["createMessage", "thinking.budget_tokens", "invalid_parameter", { ...message, thinking: { type: "enabled", budget_tokens: 0 } }],
  ["createMessage", "max_tokens", "invalid_parameter", { ...message, max_tokens: 0 }],
  ["createMessage", "messages[0].content[0].type", "missing_parameter", withContent([{ text: "x" }])],
  ["createMessage", "messages[0].content[1].text", "missing_parameter", withContent([{ type: "strange" }, { type: "text" }])],
  ["createMessage", "messages[0].content[0].source", "missing_parameter", withContent([{ type: "image" }])],
  ["createMessage", "messages[0].content[0].source.media_type", "missing_parameter", withContent([{ type: "image", source: { type: "base64", data: "AA==" } }])], // prettier-ignore
  ["createMessage", "messages[0].content[0].source.type", "invalid_parameter", withContent([{ type: "image", source: { type: "ftp" } }])],
  ["createMessage", "messages[0].content[0].content[0].text", "invalid_parameter", withContent([{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: 5 }] }])], // prettier-ignore
  ["createMessage", "metadata.user_id", "invalid_parameter", { ...message, metadata: { user_id: 5 } }],
  ["countMessageTokens", "messages[0].content[0].tool_use_id", "missing_parameter", withContent([{ type: "tool_result" }])],
  ["createCompletion", "prompt", "invalid_parameter", { model: "m", prompt: 5 }],
  ["createCompletion", "stop[0]", "invalid_parameter", { model: "m", prompt: "a", stop: [1] }],
  ["createEmbeddings", "input", "missing_parameter", { model: "m" }],
  ["createEmbeddings", "input", "invalid_parameter", { model: "m", input: "" }],
  ["createEmbeddings", "input", "invalid_parameter", { model: "m", input: [] }],
  ["createEmbeddings", "input[1]", "invalid_parameter", { model: "m", input: ["a", 3] }],
  ["createEmbeddings", "encoding_format", "invalid_parameter", { model: "m", input: "a", encoding_format: "int8" }],
  ["createRerank", "query", "invalid_parameter", { model: "m", query: "", documents: ["a"] }],
  ["createRerank", "documents", "invalid_parameter", { model: "m", query: "q", documents: [] }],
  ["createRerank", "documents[0]", "invalid_parameter", { model: "m", query: "q", documents: [{ text: "a" }] }],
  ["createDecision", "state", "missing_parameter", { questions: decision.questions }],
  ["createDecision", "questions", "missing_parameter", { state: "s" }],
  ["createDecision", "questions", "invalid_parameter", { state: "s", questions: [] }],
  ["createDecision", "questions", "invalid_parameter", { state: "s", questions: {} }],
  ["createDecision", "questions.q.type", "invalid_parameter", { state: "s", questions: { q: { type: "score", criteria: { a: null } } } }],
  ["createDecision", "questions.q.criteria", "invalid_parameter", { state: "s", questions: { q: { type: "choice", criteria: {} } } }],
];

describe("the example stream of", () => {
  const headers = { "content-type": "text/event-stream", "x-request-id": "r", "request-id": "r", "x-svc-model": "m" };

  test.each(["createChatCompletion", "createCompletion", "createMessage"])("%s follows the schema of its records", (id) => {
    const { value } = operation(id).responses["200"]!.content!["text/event-stream"]!.examples!["stream"]!;
    const bodyText = value as string;
    expect(faultsOf(id, { status: 200, headers, bodyText })).toEqual([]);
    expect(faultsOf(id, { status: 200, headers, bodyText: bodyText.replace(/"index":0/g, '"index":"0"') })).not.toEqual([]);
  });
});

describe("is taken", () => {
  test.each(taken)("%s: %s", (id, _what, body) => {
    const validate = bodies[id]!;
    expect({ valid: validate(body), errors: validate.errors }).toEqual({ valid: true, errors: null });
  });
});

describe("is refused", () => {
  test.each(refused)("%s: %s is a %s", (id, param, code, body) => {
    const validate = bodies[id]!;
    expect(validate(body)).toBe(false);
    const thrown = caught(() => failInvalid(validate.errors!));
    expect(thrown).toBeInstanceOf(ApiError);
    expect({ code: (thrown as ApiError).code, param: (thrown as ApiError).details.param }).toEqual({ code, param });
  });
});

function withContent(content: unknown[]): object {
  return { model: "m", messages: [{ role: "user", content }] };
}

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
