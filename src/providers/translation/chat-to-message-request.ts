// A chat request in Anthropic's dialect (WIRE.md 7, column A). Only what Anthropic knows goes on: it refuses any other field.
// What a Claude upstream refuses in its own dialect (blank texts, thinking beside forced tools …) is the adapter's.
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";
import type { Route } from "../types.ts";
import { refuse } from "./chat-to-message-content.ts";
import { messageHistory } from "./chat-to-message-history.ts";
import { closeSchema } from "./chat-to-message-schema.ts";
import { messageThinking } from "./chat-to-message-thinking.ts";
import { messageTools } from "./chat-to-message-tools.ts";
import { shortId } from "./short-text.ts";

export interface ChatTranslation {
  route: Pick<Route, "thinking">;
  /** The output cap where the request names none. */
  outputMax: number;
}

/** Throws UpstreamError("rejected") where the request asks for what the other dialect can't say. */
export function chatToMessageRequest(chat: Json, { route, outputMax }: ChatTranslation): Json {
  if (typeof chat["n"] === "number" && chat["n"] > 1) refuse("n", "This model gives one answer a request: n must be 1.");
  const caps = [chat["max_tokens"], chat["max_completion_tokens"]].filter((cap) => typeof cap === "number");
  const maxTokens = caps.length === 0 ? outputMax : Math.min(...caps);
  const history = messageHistory(arrayOf(chat["messages"]));
  const { format, sentence } = answerForm(objectOf(chat["response_format"]));
  const { thinking, effort } = messageThinking(chat, route, maxTokens);
  const outputConfig = { ...(effort === null ? {} : { effort }), ...(format === null ? {} : { format }) };
  const system = withSentence(history.system, sentence);
  return {
    model: chat["model"],
    max_tokens: maxTokens,
    ...(chat["stream"] === true ? { stream: true } : {}),
    ...(system === null ? {} : { system }),
    messages: history.messages,
    ...messageTools(chat),
    ...(thinking === null ? {} : { thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...stopSequences(chat["stop"]),
    ...sampling(chat),
    ...userOf(chat),
  };
}

/** A temperature above 1 is 1 there; penalties, seed, bias and log probabilities have no place here. */
function sampling(chat: Json): Json {
  const told = (["temperature", "top_p", "top_k"] as const).filter((key) => typeof chat[key] === "number");
  return Object.fromEntries(told.map((key) => [key, key === "temperature" ? Math.min(Number(chat[key]), 1) : chat[key]]));
}

function stopSequences(stop: unknown): Json {
  const given = typeof stop === "string" ? [stop] : arrayOf(stop);
  const kept = given.filter((text) => typeof text === "string" && text.trim() !== "");
  return kept.length === 0 ? {} : { stop_sequences: kept };
}

/** Anthropic takes no longer ones. */
const userMax = 256;

function userOf(chat: Json): Json {
  const user = textOf(chat["user"]) ?? textOf(chat["safety_identifier"]);
  return user === null ? {} : { metadata: { user_id: shortId(user, userMax) } };
}

const jsonOnly = "Answer with one valid JSON object only, without any text around it.";

function answerForm(asked: Json): { format: Json | null; sentence: string | null } {
  if (asked["type"] === "json_object") return { format: null, sentence: jsonOnly };
  if (asked["type"] !== "json_schema") return { format: null, sentence: null };
  const { schema } = objectOf(asked["json_schema"]);
  // Without a schema any JSON will do.
  if (!isObject(schema)) return { format: null, sentence: jsonOnly };
  return { format: { type: "json_schema", schema: closeSchema(schema) }, sentence: null };
}

function withSentence(system: string | Json[] | null, sentence: string | null): string | Json[] | null {
  if (sentence === null) return system;
  if (system === null) return sentence;
  return typeof system === "string" ? `${system}\n${sentence}` : [...system, { type: "text", text: sentence }];
}
