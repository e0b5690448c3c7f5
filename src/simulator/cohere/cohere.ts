// The Cohere protocol, v2: its paths, its events and its error envelope. What a chat says is what an OpenAI chat says.
import { readModelId } from "../directives.ts";
import { answerChat, type Choice } from "../openai/chat-answer.ts";
import { countPrompt } from "../openai/chat-usage.ts";
import { countInputs, dimensionsDefault, embed } from "../openai/embeddings.ts";
import { jsonReply, type Plan, planAnswer, type SimulatorProtocol } from "../protocol.ts";
import { planRerank } from "../rerank/rerank.ts";
import { type Fields, readFields, readModel, readWhole, type Refusal, refuse } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import { type CohereRequest, readCohereRequest } from "./read-request.ts";

export const cohere: SimulatorProtocol = {
  name: "cohere",
  prefixes: ["/cohere/v2"],
  findOperation(method, path) {
    if (method !== "POST") return null;
    if (path === "/chat") return planChat;
    if (path === "/embed") return planEmbed;
    return path === "/rerank" ? (body) => planRerank(body, "cohere") : null;
  },
  rewordRefusal,
  renderRefusal: ({ message }) => JSON.stringify({ id: "00000000-0000-0000-0000-000000000000", message }),
  /** Every record of this protocol opens with its `type`. */
  eventName: (data) => (data.startsWith('{"type":"') ? data.slice(9, data.indexOf('"', 9)) : "error"),
  errorEndsStream: true,
};

const messages: Record<number, string> = {
  401: "invalid api token",
  402: "Please add or update your payment method at https://dashboard.cohere.com/billing?tab=payment to continue.",
  404: "model 'sim' not found, make sure the correct model ID was used and that you have access to the model.",
  429: "You are past the per minute request limit, please wait and try again later.",
  500: "internal server error, this has been reported to our developers.",
};

/** A text that the filter stopped has a status of its own here. */
function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code } = refusal;
  if (code === "unknown_directive" || code === "unknown_url" || code === "simulator_fault") return refusal;
  if (code === "content_filter" || code === "content_policy_violation")
    return { ...refusal, status: 498, message: "invalid request: the text was blocked by the content filter." };
  if (code === "context_length_exceeded")
    return { ...refusal, message: "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000." };
  if (code === "unsupported_value") return { ...refusal, message: "invalid request: temperature must be between 0 and 1.0 inclusive." };
  return { ...refusal, message: status === 400 ? refusal.message : (messages[status] ?? refusal.message) };
}

// POST /chat.

function planChat(body: Buffer): Plan {
  const request = readCohereRequest(body);
  const { model, directives, stream } = request;
  const promptTokens = countPrompt(request);
  const [choice] = answerChat(request) as [Choice];
  return planAnswer({
    model,
    directives,
    stream,
    tokens: choice.tokens,
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeMessage(request, promptTokens, choice)),
    records: () => events(request, promptTokens, choice),
    terminator: null,
    inputTokens: promptTokens,
    hiddenTokens: directives.hiddenReasoning ? choice.reasoning.length : 0,
    tokensIn: (record) => (/^\{"type":"(?:content|tool-call)-delta"/.test(record) ? 1 : 0),
  });
}

function wholeMessage(request: CohereRequest, promptTokens: number, choice: Choice): Fields {
  const { reasoning, content, toolCalls, tokens } = choice;
  const { directives } = request;
  const thought = reasoning.length > 0 && !directives.hiddenReasoning ? [{ type: "thinking", thinking: reasoning.join("") }] : [];
  const text = content === null ? [] : [{ type: "text", text: content.map((token) => widen(token, directives)).join("") }];
  const calls = toolCalls.map(({ id, name, argumentTokens }) => ({
    ...{ id, type: "function" },
    function: { name, arguments: argumentTokens.join("") },
  }));
  return {
    id: madeUpId("", request.seed),
    message: {
      role: "assistant",
      ...(calls.length > 0 ? { tool_plan: "", tool_calls: calls } : {}),
      ...(thought.length + text.length > 0 ? { content: [...thought, ...text] } : {}),
    },
    finish_reason: finishName(choice),
    ...usageField(request, promptTokens, tokens),
  };
}

function* events(request: CohereRequest, promptTokens: number, choice: Choice): Iterable<string> {
  const { directives } = request;
  const event = (type: string, fields: Fields) => JSON.stringify({ type, ...fields });
  const delta = (message: Fields) => ({ delta: { message } });
  yield event("message-start", {
    id: madeUpId("", request.seed),
    ...delta({ role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] }),
  });
  const thought = directives.hiddenReasoning ? [] : choice.reasoning;
  let index = 0;
  for (const [type, tokens] of [
    ["thinking", thought],
    ["text", choice.content ?? []],
  ] as const) {
    if (tokens.length === 0) continue;
    yield event("content-start", { index, ...delta({ content: { type, [type]: "" } }) });
    for (const token of tokens)
      yield event("content-delta", { index, ...delta({ content: { [type]: type === "text" ? widen(token, directives) : token } }) });
    yield event("content-end", { index });
    index += 1;
  }
  for (const [at, call] of choice.toolCalls.entries()) {
    const { id, name, argumentTokens } = call;
    yield event("tool-call-start", { index: at, ...delta({ tool_calls: { id, type: "function", function: { name, arguments: "" } } }) });
    for (const token of argumentTokens)
      yield event("tool-call-delta", { index: at, ...delta({ tool_calls: { function: { arguments: token } } }) });
    yield event("tool-call-end", { index: at });
  }
  yield event("message-end", { delta: { finish_reason: finishName(choice), ...usageField(request, promptTokens, choice.tokens) } });
}

const finishes: Record<string, string> = { length: "MAX_TOKENS", tool_calls: "TOOL_CALL", content_filter: "ERROR_TOXIC" };

function finishName({ finishReason }: Choice): string {
  return finishes[finishReason] ?? "COMPLETE";
}

/** Cohere's own instructions to the model, which it reads and doesn't bill. */
const instructionTokens = 500;

function usageField({ directives }: CohereRequest, countedPrompt: number, answered: number): Fields {
  if (directives.noUsage) return {};
  const input = directives.promptTokens ?? countedPrompt;
  const output = directives.completionTokens ?? answered;
  const cached = directives.cachedTokens ?? 0;
  return {
    usage: {
      billed_units: { input_tokens: input, output_tokens: output },
      tokens: { input_tokens: input + instructionTokens, output_tokens: output + 2 },
      ...(cached === 0 ? {} : { cached_tokens: cached }),
    },
  };
}

// POST /embed.

const textsMax = 96;

function planEmbed(body: Buffer): Plan {
  const fields = readFields(body);
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  const { texts, input_type: purpose, embedding_types: types } = fields;
  if (typeof purpose !== "string") refuse("input_type", "invalid request: valid input_type must be provided with the provided model");
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > textsMax)
    refuse(
      "texts",
      `invalid request: total number of texts must be at most ${textsMax} - received ${Array.isArray(texts) ? texts.length : 0}`,
    );
  if (!Array.isArray(types) || !types.includes("float")) refuse("embedding_types", "invalid request: embedding_types must hold float");
  const width = directives.ignoreDimensions ? dimensionsDefault : (readWhole(fields, "output_dimension", 1, 8192) ?? dimensionsDefault);
  const float = texts.map((text) => [...embed(name, String(text), width)]);
  const tokens = directives.promptTokens ?? countInputs(texts.map(String));
  const meta = { api_version: { version: "2" }, ...(directives.noUsage ? {} : { billed_units: { input_tokens: tokens } }) };
  const answer = { id: madeUpId("", body.toString("latin1")), embeddings: { float }, texts, meta, response_type: "embeddings_by_type" };
  const reply = jsonReply(200, JSON.stringify(answer));
  return { model, directives, reply, bill: { input: tokens, output: 0 }, bytes: reply.body.length };
}
