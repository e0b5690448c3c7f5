// Google's models and Anthropic's over Vertex: Gemini's adapters and Anthropic's at a project's own paths, and embeddings
// (docs/behaviour/providers.md#vertex). The provider's base URL ends with its project and location.
import { type Clock, systemClock } from "../../clock.ts";
import { inputUsage } from "../../usage.ts";
import { anthropicChat, messagesOver, type MessageTimes, readWhole } from "../anthropic/messages.ts";
import { fitBody } from "../anthropic/request.ts";
import { geminiChat } from "../gemini/chat.ts";
import { readGoogleError } from "../gemini/errors.ts";
import { arrayOf, count, isObject, type Json, objectOf, parseLong } from "../json/read.ts";
import { spliceJson, wholeOf } from "../json/splice.ts";
import type { ChatTimes } from "../openai/chat.ts";
import { openaiMessages } from "../openai/messages.ts";
import { answerBytesMax, readVectors } from "../openai/embed.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { Protocol, Route } from "../types.ts";
import type { Chat } from "../verbs/chat.ts";
import { batchesOf, eachOf, type Embed, type EmbedCall, textsOf } from "../verbs/without-output.ts";
import type { MessageCall, Messages } from "../verbs/messages.ts";

/** Whose model a route names: `anthropic/claude-…`, or a plain id, which is Anthropic's where it begins with `claude`. */
function publisherOf({ model }: Pick<Route, "model">): { publisher: string; id: string } {
  const slash = model.indexOf("/");
  if (slash > 0) return { publisher: model.slice(0, slash), id: model.slice(slash + 1) };
  return { publisher: model.startsWith("claude") ? "anthropic" : "google", id: model };
}

function vertexPath(route: Route): string {
  const { publisher, id } = publisherOf(route);
  return `/publishers/${encodeURIComponent(publisher)}/models/${encodeURIComponent(id)}`;
}

export function isAnthropics({ route }: { route: Pick<Route, "model"> }): boolean {
  return publisherOf(route).publisher === "anthropic";
}

/** The protocol that a route's chats are written in: at Vertex its publisher's own. */
export function chatProtocol(route: Route): Protocol {
  const { protocol } = route.provider;
  if (protocol !== "vertex") return protocol;
  return isAnthropics({ route }) ? "anthropic" : "gemini";
}

const tierHeader = "x-vertex-ai-llm-shared-request-type";

/** Both dialects; each model is asked in its publisher's own. */
export function openVertex(upstream: Upstream, times: Partial<ChatTimes & MessageTimes> = {}): { chat: Chat; messages: Messages } {
  const gemini = geminiChat(upstream, { pathOf: vertexPath, tierHeader }, times);
  const claude = claudeMessages(upstream, times);
  const claudeChat = anthropicChat(claude);
  const geminiMessages = openaiMessages(gemini);
  return {
    chat: (call) => (isAnthropics(call) ? claudeChat : gemini)(call),
    messages: (call) => (isAnthropics(call) ? claude : geminiMessages)(call),
  };
}

// Anthropic's models: its API, with the version in the body and the model in the path.

const anthropicVersion = "vertex-2023-10-16";

function claudeMessages(upstream: Upstream, times: Partial<MessageTimes>): Messages {
  return messagesOver(
    upstream,
    (call) => ({ request: rawPredict(call), read: (text) => readWhole(text, call), readError: readGoogleError }),
    times,
  );
}

/** Names of betas are left out: Vertex refuses those that it doesn't know. */
function rawPredict(call: MessageCall): UpstreamRequest {
  const body = spliceJson(fitBody(call), { model: null, anthropic_version: JSON.stringify(anthropicVersion) });
  return jsonRequest(call, `${vertexPath(call.route)}:${call.stream ? "streamRawPredict" : "rawPredict"}`, body, call.stream);
}

// Embeddings: `predict`, whose answers count each text's tokens, or `embedContent`, which newer models of Google's take alone.

const textsMax = 250;
/** A request takes 20,000 tokens in all; a token is seldom shorter than three bytes, whatever the script. */
const bytesMax = 60_000;

export function vertexEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  return async (call) => {
    const { verb, bodyOf, read } = isContentEmbedder(call) ? embedContent : predict;
    const answers = await eachOf(requestsOf(call), async (texts) => {
      const request = jsonRequest(call, `${vertexPath(call.route)}:${verb}`, JSON.stringify(bodyOf(texts, call.dimensions)));
      const answer = await exchange(upstream, request, clock, readGoogleError);
      const { found, tokens } = read(readAnswer(await wholeText(answer, answerBytesMax), call.route.provider));
      const data = found.map(({ values }) => ({ embedding: values }));
      return { vectors: readVectors(data, { inputs: texts.length, dimensions: call.dimensions }), tokens };
    });
    const input = answers.reduce((sum: number | null, { tokens }) => (sum === null || tokens === null ? null : sum + tokens), 0);
    return {
      kind: "whole",
      vectors: answers.flatMap(({ vectors }) => vectors),
      usage: input === null ? null : inputUsage(input),
    };
  };
}

/** Gemini's embedding models but for the first. */
function isContentEmbedder({ route }: EmbedCall): boolean {
  const { id } = publisherOf(route);
  return id.startsWith("gemini") && !id.startsWith("gemini-embedding-001");
}

interface EmbedForm {
  verb: string;
  bodyOf(texts: readonly string[], dimensions: number | null): Json;
  read(answer: Json): { found: Json[]; tokens: number | null };
}

const predict: EmbedForm = {
  verb: "predict",
  bodyOf: (texts, dimensions) => ({
    instances: texts.map((content) => ({ content })),
    ...(dimensions === null ? {} : { parameters: { outputDimensionality: dimensions } }),
  }),
  read({ predictions }) {
    const found = arrayOf(predictions).map((one) => objectOf(isObject(one) ? one["embeddings"] : null));
    return { found, tokens: tokensOf(found) };
  },
};

const embedContent: EmbedForm = {
  verb: "embedContent",
  bodyOf: ([text], dimensions) => ({
    content: { parts: [{ text }] },
    ...(dimensions === null ? {} : { embedContentConfig: { outputDimensionality: dimensions } }),
  }),
  read: ({ embedding, usageMetadata }) => ({
    found: [objectOf(embedding)],
    tokens: count(objectOf(usageMetadata)["promptTokenCount"]) || null,
  }),
};

/** Half a report would make the rest free. */
function tokensOf(found: readonly Json[]): number | null {
  let sum = 0;
  for (const { statistics } of found) {
    const tokens = count(objectOf(statistics)["token_count"]);
    if (tokens === null || tokens === 0) return null;
    sum += tokens;
  }
  return sum;
}

/** Gemini's own embedding models take one text a request. */
function requestsOf(call: EmbedCall): string[][] {
  const texts = textsOf(objectOf(parseLong(wholeOf(call.body)))["input"]);
  if (publisherOf(call.route).id.startsWith("gemini")) return texts.map((text) => [text]);
  return batchesOf(texts, textsMax).flatMap((batch) => splitByLength(batch));
}

function splitByLength(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    if (batches.length === 0 || bytes > room) {
      batches.push([]);
      room = bytesMax;
    }
    batches.at(-1)!.push(text);
    room -= bytes;
  }
  return batches;
}
