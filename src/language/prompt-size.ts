// The upper bound of a prompt's tokens before they are counted, and an estimate for calls whose upstream reports no usage: each byte of text
// counts as one token, an image and a file as what the model's bounds say (docs/behaviour/billing.md#reservation).
import { isAddress } from "../network/address.ts";
import { isObject, type Json } from "../providers/json/read.ts";
import { countTokens } from "./count-tokens.ts";
import { expectedIn, unloaded, words } from "./part-addresses.ts";

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
  const parts: Parts = { texts: [], messages: body.messages.length, images: 0, ...besideTexts(body, unreadFields) };
  for (const message of body.messages) addMessage(message, parts);
  for (const key of documentFields) if (body[key] != null) parts.texts.push(JSON.stringify(body[key]));
  const size = sizeOf(parts);
  return body.prediction == null ? size : { ...size, billsUnseen: true };
}

/** Some hosts put documents, contexts, images and the like that stand beside the messages or texts into the prompt. */
export function besideTexts(body: object, unread: ReadonlySet<string>): Required<Beside> {
  const beside = { unknown: 0, bytes: 0 };
  for (const name in body) {
    if (unread.has(name)) continue;
    const value = (body as Json)[name];
    if (typeof value !== "string" && (typeof value !== "object" || value === null)) continue;
    beside.bytes += Buffer.byteLength(JSON.stringify(value));
    if (unloaded.has(name)) continue;
    const { images, unknown, bytes } = partsIn(value, name, body as Json);
    beside.unknown += images + unknown;
    if (bytes >= fileBytes) beside.bytes += bytes;
  }
  return beside;
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

type Parts = Required<PromptParts>;

function partsIn(value: unknown, name: string, holder: Json): Parts {
  const parts: Parts = { texts: [], messages: 0, images: 0, unknown: 0, bytes: 0 };
  collect(value, parts, name, holder, placeOf(name, holder, inWords));
  return parts;
}

/** A message that calls itself an image is text anyway; what it holds beside `content` may be media, such as images that a model made. */
function addMessage(message: unknown, parts: Parts): void {
  if (!isObject(message)) return;
  for (const key in message) {
    const value = message[key];
    if (key === "content" && Array.isArray(value)) for (const part of value) addPart(part, parts, message);
    else if (key === "content" || key === "role") collect(value, parts, "text", message, inSaid);
    else collect(value, parts, key, message, expectedIn(key) === null ? inSaid : placeOf(key, message, inWords));
  }
}

/** For parts of the other dialect: what a member of such a name holds is read by hosts that know more kinds. */
export function addBeside(part: object, parts: Parts): void {
  for (const name in part) {
    if (expectedIn(name) !== null) collect((part as Json)[name], parts, name, part as Json, placeOf(name, part as Json, inWords));
  }
}

/** Whatever an upstream makes of a part of an unknown kind, it may charge for it as for an image. */
function addPart(part: unknown, parts: Parts, holder: Json): void {
  const { unknown } = parts;
  collect(part, parts, "content", holder, inWords);
  if (parts.unknown === unknown && isOfUnknownKind(part)) parts.unknown += 1;
}

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

/**
 * What a text is by the names around it. address, media, document: its own name says so; beside: in an object of such a name; words:
 * a name below may say so; said: none can, since it stands in pages that a model read, a tool's arguments and the like.
 */
interface Place {
  expected: "address" | "media" | "document" | "beside" | "words" | "said";
  /** It may fill any window. */
  isFile: boolean;
}

const inWords: Place = { expected: "words", isFile: false };
const inSaid: Place = { expected: "said", isFile: false };

const fileName = /video|audio|file|document|media/i;
/** Where a document comes from: it stands beside what the document says. */
const pageName = /^ur[il]$/i;

function placeOf(name: string, holder: Json, place: Place): Place {
  if (place.expected === "said" || words.has(name)) return inSaid;
  const isPage = pageName.test(name) && (typeof holder["text"] === "string" || typeof holder["title"] === "string");
  const expected = isPage ? null : expectedIn(name);
  if (expected !== null) return { expected, isFile: place.isFile || fileName.test(name) };
  return place.expected === "words" ? place : { ...place, expected: "beside" };
}

function isLoaded(text: string, { expected }: Place): boolean {
  if (expected === "address" || expected === "media") return true;
  return (expected === "document" || expected === "beside") && (text.startsWith("data:") || isAddress(text));
}

function addLoaded(bytes: number, { isFile }: Place, parts: Parts): void {
  parts.unknown += 1;
  parts.bytes += isFile ? fileBytes : bytes;
}

/** Adds every text and all media inside `value`, which is `holder[name]`. The JSON reader bounds its depth (src/server/parse-json.ts). */
function collect(value: unknown, parts: Parts, name: string, holder: Json, place: Place): void {
  if (typeof value === "string") {
    if (isLoaded(value, place)) addLoaded(Buffer.byteLength(value), place, parts);
    else if (isBytes(name, value, holder)) parts.bytes += Buffer.byteLength(value);
    else parts.texts.push(value);
  } else if (Array.isArray(value)) for (const item of value) collect(item, parts, name, holder, place);
  else if (isObject(value)) collectMembers(value, parts, place);
}

function collectMembers(value: Json, parts: Parts, place: Place): void {
  const kind = mediaKinds.has(value["type"]) ? String(value["type"]) : null;
  const { unknown } = parts;
  if (kind !== null) {
    parts.images += 1;
    if (kind !== "image_url") parts.bytes += fileBytes;
    // Its one address is the image that is counted.
    else parts.unknown += Math.max(0, partsIn(value[kind], kind, value).unknown - 1);
  }
  for (const key in value) if (key !== kind) collect(value[key], parts, key, value, placeOf(key, value, place));
  const isMedia = place.expected === "address" || place.expected === "media";
  if (isMedia && kind === null && parts.unknown === unknown) addLoaded(0, place, parts);
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
// Their upper bound allows a context window for each text, not one for all (src/language/token-hold.ts).

type Beside = Pick<PromptParts, "unknown" | "bytes">;

/** Special tokens that a model puts around a text; no tokenizer known to us takes more. */
const markTokens = 8;

export function inputSize(texts: readonly string[], beside: Beside = {}): PromptSize {
  const size = sizeOf({ texts: [...texts], messages: 0, images: 0, ...beside });
  return { ...size, tokensMax: size.tokensMax + texts.length * markTokens, contexts: texts.length, prompts: texts.length };
}

/** For inputs that come as tokens, so the caller has counted them. */
export function tokensSize(lists: readonly (readonly number[])[], { unknown = 0, bytes = 0 }: Beside): PromptSize {
  const tokens = lists.reduce((sum, { length }) => sum + length, 0);
  return {
    tokensMax: tokens + bytes,
    images: unknown,
    contexts: lists.length,
    prompts: lists.length,
    tokensLikely: tokens,
    uncountedMax: (imageTokensMax) => bytes + unknown * imageTokensMax,
    countTokens: async () => tokens,
  };
}

/**
 * A query is counted once. Some hosts (Voyage, Jina) read and bill it again with every document, so the upper bound holds it once for each.
 */
export function rankingSize(query: string, documents: readonly string[], beside: Beside = {}): PromptSize {
  const size = inputSize([query, ...documents], beside);
  const again = (Buffer.byteLength(query) + markTokens) * (documents.length - 1);
  return { ...size, tokensMax: size.tokensMax + again, contexts: documents.length, prompts: documents.length };
}
