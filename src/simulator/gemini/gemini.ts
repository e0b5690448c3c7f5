// The Gemini protocol: its paths, which name the model and the method, the plans of its operations, and Google's errors: a code, a
// sentence, a status in capitals, and details. A blocked prompt is no error there but an answer without candidates.
import { readModelId } from "../directives.ts";
import { answerChat } from "../openai/chat-answer.ts";
import { countPrompt } from "../openai/chat-usage.ts";
import { countInputs, dimensionsDefault, embed } from "../openai/embeddings.ts";
import { jsonReply, type Plan, planAnswer, type SimulatorProtocol } from "../protocol.ts";
import { type Fields, isFields, readFields, readWhole, type Refusal, refuse } from "../request-fields.ts";
import { contentRecords, wholeContent } from "./answer.ts";
import { readGeminiRequest } from "./read-request.ts";

export const gemini: SimulatorProtocol = {
  name: "gemini",
  prefixes: ["/gemini/v1beta"],
  findOperation(method, path) {
    const [, id, verb] = /^\/models\/([^/]+):(\w+)$/.exec(path) ?? [];
    if (method !== "POST" || id === undefined) return null;
    const model = decodeURIComponent(id);
    if (verb === "generateContent") return (body) => planContent(body, model, false);
    if (verb === "streamGenerateContent") return (body) => planContent(body, model, true);
    return verb === "batchEmbedContents" ? (body) => planBatch(body, model) : null;
  },
  rewordRefusal,
  renderRefusal,
  errorEndsStream: true,
};

/** Also for Vertex, which serves the same models: `sharedType` is its header for tiers, empty where it was not sent. */
export function planContent(body: Buffer, model: string, stream: boolean, sharedType?: string): Plan {
  const request = readGeminiRequest(body, model, stream, sharedType);
  const { directives } = request;
  const promptTokens = countPrompt(request);
  const choices = answerChat(request);
  const thought = choices.reduce((sum, { reasoning }) => sum + reasoning.length, 0);
  return planAnswer({
    model,
    directives,
    stream,
    tokens: choices.reduce((sum, { tokens }) => sum + tokens, 0),
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeContent(request, promptTokens, choices)),
    records: () => contentRecords(request, promptTokens, choices),
    terminator: null,
    inputTokens: promptTokens,
    hiddenTokens: request.showsThoughts ? 0 : thought,
    tokensIn: (record) => (/"parts":\[\{"(?:text":"[^"]|functionCall")/.test(record) ? 1 : 0),
  });
}

const statusNames: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const messages: Record<number, string> = {
  401: "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
  403: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  404: "models/sim is not found for API version v1beta, or is not supported for generateContent.",
  429: "You exceeded your current quota, please check your plan and billing details.",
  500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  503: "The model is overloaded. Please try again later.",
};

const keptCodes = new Set(["unknown_directive", "unknown_url", "simulator_fault"]);

export function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code } = refusal;
  if (code !== null && keptCodes.has(code)) return refusal;
  if (code === "content_filter" && status === 400) return { ...refusal, status: 200 };
  if (code === "content_filter" || code === "content_policy_violation") return refusal;
  if (code === "context_length_exceeded")
    return { ...refusal, message: "The input token count (5000) exceeds the maximum number of tokens allowed (4096)." };
  if (code === "unsupported_value") return { ...refusal, message: "The value of temperature is not supported for this model." };
  if (status === 400) return refusal;
  return { ...refusal, message: messages[status] ?? refusal.message };
}

export function renderRefusal({ status, code, message, headers }: Refusal): string {
  if (status === 200 && code === "content_filter") return JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
  const wait = headers?.["retry-after"];
  const refused = code === "content_filter" || code === "content_policy_violation";
  const details = [
    ...(refused
      ? [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SAFETY", domain: "generativelanguage.googleapis.com" }]
      : []),
    ...(wait === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait}s` }]),
  ];
  const name = statusNames[status] ?? (status < 500 ? "FAILED_PRECONDITION" : "INTERNAL");
  return JSON.stringify({
    error: {
      code: status,
      message,
      status: name,
      ...(refused ? { type: "prohibited_content" } : {}),
      ...(details.length > 0 ? { details } : {}),
    },
  });
}

const batchMax = 100;

function planBatch(body: Buffer, model: string): Plan {
  const fields = readFields(body);
  const { name, directives } = readModelId(model);
  const { requests } = fields;
  if (!Array.isArray(requests) || requests.length === 0)
    refuse("requests", "* BatchEmbedContentsRequest.requests: requests is not specified");
  if (requests.length > batchMax)
    refuse("requests", `* BatchEmbedContentsRequest.requests: at most ${batchMax} requests can be in one batch`);
  const texts = requests.map((request, index) => textOf(request, index, model));
  const embeddings = requests.map((request: Fields, index) => {
    const width = directives.ignoreDimensions
      ? dimensionsDefault
      : (readWhole(request, "outputDimensionality", 1, 8192) ?? dimensionsDefault);
    return { values: [...embed(name, texts[index]!, width)] };
  });
  const tokens = directives.promptTokens ?? countInputs(texts);
  const usage = directives.noUsage ? {} : { usageMetadata: { promptTokenCount: tokens } };
  const reply = jsonReply(200, JSON.stringify({ embeddings, ...usage }));
  return { model, directives, reply, bill: { input: tokens, output: 0 }, bytes: reply.body.length };
}

function textOf(request: unknown, index: number, model: string): string {
  const where = `requests[${index}]`;
  if (!isFields(request)) refuse(where, `Invalid value at '${where}'`);
  for (const name of Object.keys(request))
    if (!["model", "content", "taskType", "title", "outputDimensionality"].includes(name))
      refuse(name, `Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`);
  if (request["model"] !== `models/${model}`)
    refuse(where, `* BatchEmbedContentsRequest.${where}.model: model must match the batch's model.`);
  const { parts } = isFields(request["content"]) ? request["content"] : ({} as Fields);
  const text = Array.isArray(parts) ? parts.map((part: Fields) => String(part["text"])).join("") : "";
  return text === "" ? refuse(where, "content is required and can't be empty.") : text;
}
