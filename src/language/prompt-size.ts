// The upper bound of a prompt's tokens before they are counted, and an estimate for calls whose upstream reports no usage: each byte of text
// counts as one token, an image and a file as what the model's bounds say (docs/behaviour/billing.md#reservation).
import { isObject, type Json } from "../providers/json/read.ts";
import { countTokens } from "./count-tokens.ts";

export interface PromptSize {
  /** An upper bound without its images: no tokenizer makes more tokens of it. */
  tokensMax: number;
  /** Images, and parts of unknown kinds; each is as many tokens as the model's `imageTokensMax` at most. */
  images: number;
  /** How often a model's context window may be filled at most: some texts are read one by one, some again for each document. */
  contexts: number;
  /** How many prompts `tokensLikely` and `countTokens` are about; each has a context window. */
  prompts: number;
  /** An estimate that takes no time, for limits: four bytes a token. */
  tokensLikely: number;
  /** What `countTokens` may leave out of images and files: with it, they count as much as is held for them. */
  uncountedMax(imageTokensMax: number): number;
  /** Its provider may bill output that no answer shows: of a prediction, what the model does not take over. Absent: no. */
  billsUnseen?: boolean;
  /** By a real tokenizer, as near as only the model's own could get closer; slow, for charges and counts. Rejects if it can't be loaded. */
  countTokens(): Promise<number>;
}

/** The fields of a chat request that a model reads. */
interface PromptFields {
  messages: readonly unknown[];
  tools?: unknown;
  functions?: unknown;
  response_format?: unknown;
  prediction?: unknown;
}

const documentFields = ["tools", "functions", "response_format", "prediction"] as const;

/** Fields of a chat request that no host puts into the prompt, or that reach none; numbers and switches never are a part of it. */
const unreadFields: ReadonlySet<string> = new Set([
  ...["messages", ...documentFields, "model", "stream", "stream_options", "n", "stop", "logit_bias", "user", "safety_identifier"],
  ...["reasoning", "reasoning_effort", "thinking", "verbosity", "modalities", "audio", "moderation", "web_search_options", "service_tier"],
  ...["tool_choice", "function_call", "prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "routing", "store", "metadata"],
]);

/** What costs tokens in a request, in any dialect. */
export interface PromptParts {
  /** Texts, and documents such as tools as JSON. */
  texts: string[];
  messages: number;
  images: number;
  /** Parts of unknown kinds: reserved for like images, not counted. */
  unknown?: number;
  /** Bytes that become tokens only in some models: files, and unknown fields. They are reserved for, not counted. */
  bytes?: number;
}

/** Role, separators and the template around a message; no chat template known to us takes more. */
const messageTokens = 16;
/** What an image of a usual size takes in most models. */
const imageTokensLikely = 256;
const bytesPerToken = 4;

/** Measures everything in a chat request that a model reads. */
export function promptSize(body: PromptFields): PromptSize {
  const parts = { texts: [] as string[], messages: body.messages.length, images: 0, unknown: 0, bytes: unknownBytes(body) };
  for (const message of body.messages) addMessage(message, parts);
  for (const key of documentFields) if (body[key] != null) parts.texts.push(JSON.stringify(body[key]));
  const size = sizeOf(parts);
  return body.prediction == null ? size : { ...size, billsUnseen: true };
}

/** Some hosts put documents, contexts and the like that stand beside the messages into the prompt. */
function unknownBytes(body: object): number {
  let bytes = 0;
  for (const name in body) {
    if (unreadFields.has(name)) continue;
    const value = (body as Json)[name];
    if (typeof value === "string" || (typeof value === "object" && value !== null)) bytes += Buffer.byteLength(JSON.stringify(value));
  }
  return bytes;
}

export function sizeOf({ texts, messages, images, unknown = 0, bytes: others = 0 }: PromptParts): PromptSize {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let counting: Promise<number> | undefined;
  return {
    tokensMax: bytes + others + messages * messageTokens,
    images: images + unknown,
    contexts: 1,
    prompts: 1,
    tokensLikely: Math.ceil(bytes / bytesPerToken) + messages * 4 + images * imageTokensLikely,
    uncountedMax: (imageTokensMax) => others + (images + unknown) * imageTokensMax - images * imageTokensLikely,
    countTokens: () => (counting ??= countTokens(texts).then((tokens) => tokens + messages * 4 + images * imageTokensLikely)),
  };
}

/** Only parts of `content` can be media: a message that calls itself an image is text all the same. */
function addMessage(message: unknown, parts: Required<PromptParts>): void {
  if (!isObject(message)) return;
  for (const key in message) {
    const value = message[key];
    collect(value, parts, key === "content", typeof value === "string" ? "text" : key, message);
  }
  const { content } = message;
  if (Array.isArray(content)) parts.unknown += content.filter(isOfUnknownKind).length;
}

/** Whatever an upstream makes of such a part, it may charge for it as for an image. */
function isOfUnknownKind(part: unknown): boolean {
  if (!isObject(part)) return false;
  return !mediaKinds.has(part["type"]) && typeof part["text"] !== "string" && typeof part["refusal"] !== "string";
}

/** Thinking that a model encrypted, for its own provider to open. */
const sealedNames: ReadonlySet<string> = new Set(["signature", "thought_signature", "encrypted_content"]);
const dataUrl = /^data:[^,\s]{0,100};base64,[A-Za-z0-9+/=_-]*$/i;

/** Base64 that providers put into parts or beside the content. It is reserved for, but a tokenizer of words can't count it. */
function isBytes(name: string, text: string, holder: Json): boolean {
  if (name === "text" || name === "arguments") return false;
  return sealedNames.has(name) || (name === "data" && holder["type"] === "reasoning.encrypted") || dataUrl.test(text);
}

/** Adds every text inside `value`, which is `holder[name]`. The JSON reader bounds its depth (src/server/parse-json.ts). */
function collect(value: unknown, parts: Required<PromptParts>, mayBeMedia: boolean, name: string, holder: Json): void {
  if (typeof value === "string") {
    if (isBytes(name, value, holder)) parts.bytes += Buffer.byteLength(value);
    else parts.texts.push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, parts, mayBeMedia, name, holder);
  else if (isObject(value)) {
    const media = mayBeMedia && mediaKinds.has(value["type"]) ? String(value["type"]) : null;
    if (media !== null) {
      parts.images += 1;
      if (media !== "image_url") parts.bytes += fileBytes;
    }
    for (const key in value) if (key !== media) collect(value[key], parts, mayBeMedia, key, value);
  }
}

/** Kinds of parts whose payload is base64 or an address; it stands in the member of the same name. */
const mediaKinds: ReadonlySet<unknown> = new Set(["image_url", "input_audio", "audio_url", "file", "document_url", "video_url", "video"]);

/** A file, a recording or a video may fill any context window: it is compressed, so its own size says nothing. */
export const fileBytes = 2 ** 40;

/** Output tokens of a stream whose upstream reports none: at least one for each delta, and one for every four characters. */
export function countedOutputTokens(deltas: number, characters: number): number {
  return Math.max(deltas, Math.ceil(characters / bytesPerToken));
}

// Sizes of texts that a model reads one by one and answers without text: embeddings and rerank.
// Their upper bound allows a context window for each text, not one for all (src/language/token-call.ts).

/** Special tokens that a model puts around a text; no tokenizer known to us takes more. */
const markTokens = 8;

export function inputSize(texts: readonly string[]): PromptSize {
  const size = sizeOf({ texts: [...texts], messages: 0, images: 0 });
  return { ...size, tokensMax: size.tokensMax + texts.length * markTokens, contexts: texts.length, prompts: texts.length };
}

/** For inputs that come as tokens, so the caller has counted them. */
export function tokensSize(lists: readonly (readonly number[])[]): PromptSize {
  const tokens = lists.reduce((sum, { length }) => sum + length, 0);
  return {
    tokensMax: tokens,
    images: 0,
    contexts: lists.length,
    prompts: lists.length,
    tokensLikely: tokens,
    uncountedMax: () => 0,
    countTokens: async () => tokens,
  };
}

/**
 * A query is counted once. Some hosts (Voyage, Jina) read and bill it again with every document, so the upper bound holds it once for each.
 */
export function rankingSize(query: string, documents: readonly string[]): PromptSize {
  const size = inputSize([query, ...documents]);
  const again = (Buffer.byteLength(query) + markTokens) * (documents.length - 1);
  return { ...size, tokensMax: size.tokensMax + again, contexts: documents.length, prompts: documents.length };
}
