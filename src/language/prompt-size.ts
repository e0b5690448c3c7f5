// How large a prompt can be at most, before anyone has counted its tokens, and a plain estimate for calls whose
// upstream never says. OPERATOR.md: text bytes count as tokens, an image part is a fixed number.
import { countTokens } from "./count-tokens.ts";

export interface PromptSize {
  /** No tokenizer makes more tokens of it than this. */
  tokensMax: number;
  /** How often a model's context window may be filled: texts that a model reads one by one. */
  contexts: number;
  /** What it probably is: four bytes a token. Costs nothing, for limits. */
  tokensLikely: number;
  /** What it is by a real tokenizer, as near as anyone but its model can tell; dear, for charges and counts. */
  countTokens(): Promise<number>;
}

/** What of a chat request a model reads. */
interface PromptFields {
  messages: readonly unknown[];
  tools?: unknown;
  functions?: unknown;
  response_format?: unknown;
  prediction?: unknown;
}

const documentFields = ["tools", "functions", "response_format", "prediction"] as const;

/** What of a request costs tokens, in any dialect. */
export interface PromptParts {
  /** Texts, and documents such as tools as JSON. */
  texts: string[];
  messages: number;
  images: number;
}

/** Role, separators and the template around one message: no chat template known to us takes more. */
const messageTokens = 16;
/** The most that a vision model in use charges for one image at full detail. */
const imageTokens = 4_096;
const bytesPerToken = 4;

/** Walks everything of a chat request that a model reads. */
export function promptSize(body: PromptFields): PromptSize {
  const parts: PromptParts = { texts: [], messages: body.messages.length, images: 0 };
  for (const message of body.messages) collect(message, parts);
  for (const key of documentFields) if (body[key] != null) parts.texts.push(JSON.stringify(body[key]));
  return sizeOf(parts);
}

export function sizeOf({ texts, messages, images }: PromptParts): PromptSize {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  let counting: Promise<number> | undefined;
  return {
    tokensMax: bytes + messages * messageTokens + images * imageTokens,
    contexts: 1,
    tokensLikely: Math.ceil(bytes / bytesPerToken) + messages * 4 + images * 256,
    countTokens: () => (counting ??= countTokens(texts).then((tokens) => tokens + messages * 4 + images * 256)),
  };
}

/** Adds every text inside `value`. Depth is bounded by the JSON reader (src/server/read-body.ts). */
function collect(value: unknown, parts: PromptParts): void {
  if (typeof value === "string") parts.texts.push(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, parts);
  else if (typeof value === "object" && value !== null) {
    const part = value as Record<string, unknown>;
    if (isMediaPart(part)) parts.images += 1;
    else for (const key in part) collect(part[key], parts);
  }
}

/** Its bytes are base64 or an address, not text. */
function isMediaPart(part: Record<string, unknown>): boolean {
  return part.type === "image_url" || part.type === "input_audio" || part.type === "file" || part.type === "video_url";
}

/** Output tokens of a stream whose upstream never said: a delta is at least one token, and four characters make one. */
export function countedOutputTokens(deltas: number, characters: number): number {
  return Math.max(deltas, Math.ceil(characters / bytesPerToken));
}
