// Bedrock's runtime: its paths, which name the model and the operation, the plans of its operations, and its errors: the name in a header,
// a sentence in the body. Every request is signed.
import { parseJson } from "../../json/parse.ts";
import { answerMessage } from "../anthropic/answer.ts";
import { countPrompt } from "../anthropic/usage.ts";
import { planEmbeddings } from "../openai/embeddings.ts";
import { type Ask, jsonReply, type LiveOperation, type Plan, planAnswer, type SimulatorProtocol, type WholeReply } from "../protocol.ts";
import { readFields, type Refusal, refuse } from "../request-fields.ts";
import { planRerank } from "../rerank/rerank.ts";
import { digest } from "../seed.ts";
import { converseRecords, frameOf, metadataRecord, wholeAnswer } from "./answer.ts";
import { readConverseRequest } from "./read-request.ts";
import { checkSignature, roleArn, temporaryKeys } from "./signature.ts";

export const bedrock: SimulatorProtocol = {
  name: "bedrock",
  prefixes: ["/bedrock"],
  headers: { "x-amzn-requestid": "00000000-0000-4000-8000-000000000000" },
  findOperation: () => null,
  findLive(method, path): LiveOperation | null {
    if (method !== "POST") return null;
    if (path === "/sts/" || path === "/sts") return assumeRole;
    const [, id, operation] = /^\/model\/([^/]+)\/(converse|converse-stream|invoke)$/.exec(path) ?? [];
    if (id === undefined) return null;
    const model = decodeURIComponent(id);
    return (ask) => {
      checkAuthorized(ask);
      return operation === "invoke" ? planInvoke(ask.body, model) : planConverse(ask.body, model, operation === "converse-stream");
    };
  },
  rewordRefusal,
  renderRefusal,
  frame: frameOf,
  streamType: "application/vnd.amazon.eventstream",
  errorEndsStream: true,
};

/** A signature, or an API key of Bedrock's own. */
function checkAuthorized(ask: Ask): void {
  if (!String(ask.headers["authorization"] ?? "").startsWith("Bearer ")) checkSignature(ask, "bedrock");
}

export function planConverse(body: Buffer, model: string, stream: boolean): Plan {
  const request = readConverseRequest(body, model, stream);
  const { message } = request;
  const promptTokens = countPrompt(message);
  const answer = answerMessage(message);
  return planAnswer({
    model,
    directives: message.directives,
    stream,
    tokens: answer.tokens,
    extraBytesPerToken: 0,
    whole: () => JSON.stringify(wholeAnswer(request, promptTokens, answer)),
    records: () => converseRecords(request, promptTokens, answer),
    terminator: message.directives.noUsage ? null : metadataRecord(request, promptTokens, answer),
    inputTokens: promptTokens,
    hiddenTokens: message.hidesThinking ? answer.thinkingTokens : 0,
    tokensIn: (record) => (/"delta":\{(?:"text"|"reasoningContent":\{"text"|"toolUse":\{"input":"[^"])/.test(record) ? 1 : 0),
  });
}

// InvokeModel: the body is the vendor's own. The parts of other protocols answer, in the vendor's form.

const cohereTextsMax = 96;

function planInvoke(body: Buffer, model: string): Plan {
  const fields = readFields(body);
  if (typeof fields["query"] === "string") {
    const { query, documents, top_n } = fields;
    return planRerank(Buffer.from(JSON.stringify({ model, query, documents, top_n: top_n ?? null })), "cohere");
  }
  const { inputText, texts, dimensions, output_dimension } = fields;
  const isTitan = typeof inputText === "string";
  if (!isTitan && !Array.isArray(texts))
    refuse(null, "Malformed input request: required key [inputText] not found, please reformat your input and try again.");
  if (Array.isArray(texts) && texts.length > cohereTextsMax)
    refuse("texts", `Malformed input request: #/texts: expected maximum item count: ${cohereTextsMax}`);
  const asked = { model, input: isTitan ? [inputText] : texts, dimensions: dimensions ?? output_dimension ?? null };
  const plan = planEmbeddings(Buffer.from(JSON.stringify(asked)));
  const { data } = parseJson((plan.reply as WholeReply).body.toString()) as { data: { index: number; embedding: number[] }[] };
  const vectors = data.map(({ embedding }) => embedding);
  const tokens = plan.bill!.input;
  const counted: Record<string, string> = plan.directives.noUsage ? {} : { "x-amzn-bedrock-input-token-count": String(tokens) };
  const answer = isTitan
    ? { embedding: vectors[0], ...(plan.directives.noUsage ? {} : { inputTextTokenCount: tokens }) }
    : { id: digest(String(texts)), texts, embeddings: { float: vectors }, response_type: "embeddings_by_type" };
  return { ...plan, reply: jsonReply(200, JSON.stringify(answer), counted) };
}

// STS: keys of a role, for an hour.

function assumeRole(ask: Ask): Plan {
  checkSignature(ask, "sts");
  const form = new URLSearchParams(ask.body.toString());
  const arn = form.get("RoleArn");
  if (form.get("Action") !== "AssumeRole" || arn !== roleArn)
    return xml(
      403,
      "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not authorized to perform sts:AssumeRole</Message></Error></ErrorResponse>",
    );
  const id = `ASIA${digest(`${arn}:${form.get("RoleSessionName")}`)
    .slice(0, 16)
    .toUpperCase()}`;
  const { secretAccessKey, sessionToken } = temporaryKeys(id);
  const until = new Date(Date.now() + Number(form.get("DurationSeconds") ?? 3600) * 1000).toISOString();
  const keys = `<AccessKeyId>${id}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${until}</Expiration>`;
  return xml(200, `<AssumeRoleResponse><AssumeRoleResult><Credentials>${keys}</Credentials></AssumeRoleResult></AssumeRoleResponse>`);
}

function xml(status: number, text: string): Plan {
  const body = Buffer.from(text);
  const headers = { "content-type": "text/xml", "content-length": String(body.length) };
  return { model: null, directives: {}, reply: { kind: "whole", status, headers, body }, bytes: 0 };
}

const nameByStatus: Record<number, string> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};

const messageByStatus: Record<number, string> = {
  403: "You don't have access to the model with the specified model ID.",
  404: "Could not resolve the foundation model from the provided model identifier.",
  429: "Too many requests, please wait before trying again.",
  500: "The system encountered an unexpected error during processing. Try your request again.",
  503: "Bedrock is unable to process your request.",
};

/** What the simulator alone has to say. */
const keptCodes = new Set(["unknown_directive", "unknown_url", "simulator_fault"]);

function rewordRefusal(refusal: Refusal): Refusal {
  const { status, code, headers } = refusal;
  const as = (name: string, message: string, at = status): Refusal => ({
    ...refusal,
    ...{ status: at, code: name, message },
    headers: { ...headers, "x-amzn-errortype": `${name}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  });
  if (code !== null && /^[A-Z]\w+(?:Exception|Id)$/.test(code)) return as(code, refusal.message);
  if (code !== null && keptCodes.has(code)) return as("ValidationException", refusal.message);
  if (code === "content_filter" || code === "content_policy_violation")
    return as("ValidationException", "Output blocked by content filtering policy");
  if (code === "context_length_exceeded") return as("ValidationException", "Input is too long for requested model.");
  if (code === "insufficient_quota")
    return as("ServiceQuotaExceededException", "Your request exceeds the service quota for your account.", 400);
  if (status === 400) return as("ValidationException", refusal.message);
  const name = nameByStatus[status] ?? (status < 500 ? "ValidationException" : "InternalServerException");
  return as(name, messageByStatus[status] ?? refusal.message);
}

function renderRefusal({ message }: Refusal): string {
  return JSON.stringify({ message });
}
