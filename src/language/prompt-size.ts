// How large a prompt can be at most, before anyone has counted its tokens, and a plain estimate for calls whose
// upstream never says. OPERATOR.md: text bytes count as tokens, an image part is a fixed number.

export interface PromptSize {
  /** No tokenizer makes more tokens of it than this. */
  tokensMax: number;
  /** What it probably is: four bytes a token. */
  tokensLikely: number;
}

/** What of a chat request a model reads. */
interface PromptFields {
  messages: readonly unknown[];
  tools?: unknown;
  functions?: unknown;
  response_format?: unknown;
  prediction?: unknown;
}

/** Role, separators and the template around one message: no chat template known to us takes more. */
const messageTokens = 16;
/** The most that a vision model in use charges for one image at full detail. */
const imageTokens = 4_096;
const bytesPerToken = 4;

/** Walks everything of a chat request that a model reads. */
export function promptSize(body: PromptFields): PromptSize {
  const { messages } = body;
  const size = { bytes: 0, images: 0 };
  for (const message of messages) measure(message, size);
  for (const key of ["tools", "functions", "response_format", "prediction"] as const)
    if (body[key] != null) size.bytes += Buffer.byteLength(JSON.stringify(body[key]));
  const fixed = messages.length * messageTokens + size.images * imageTokens;
  return { tokensMax: size.bytes + fixed, tokensLikely: Math.ceil(size.bytes / bytesPerToken) + messages.length * 4 + size.images * 256 };
}

/** Depth is bounded by the JSON reader (src/server/read-body.ts). */
function measure(value: unknown, size: { bytes: number; images: number }): void {
  if (typeof value === "string") size.bytes += Buffer.byteLength(value);
  else if (Array.isArray(value)) for (const item of value) measure(item, size);
  else if (typeof value === "object" && value !== null) {
    const part = value as Record<string, unknown>;
    if (isMediaPart(part)) size.images += 1;
    else for (const key in part) measure(part[key], size);
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
