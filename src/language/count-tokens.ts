// Counts the tokens of texts with a real tokenizer (o200k) where an upstream does not report them. For other vendors' models the count is
// an estimate, a few per cent off for prose. Knows nothing of requests.
import { setImmediate as breathe } from "node:timers/promises";

/** The tokenizer's work grows with the square of an unbroken run of characters; no real word is this long. */
const runMax = 256;
/**
 * Longer texts are counted by a sample spread evenly over all of them: counting 25 MB would block the event loop for seconds. A sample of the
 * beginning would mislead: tools often come first and prose after them, or words first and rare characters after them.
 */
const exactTokensMax = 32_768;
/** Rare characters take two or three tokens each and the most time: about 50 ms for this many. */
const sampledCharacters = 32_768;
/** Pieces counted before the event loop runs again: a few milliseconds of the worst text. */
const piecesATurn = 32;

/** How many pieces the tokenizer caches; its default is 100,000. */
const rememberedMax = 4_096;

type Count = (text: string) => number;
let loading: Promise<Count> | undefined;

/**
 * The table of ranks takes an eighth of a second and 70 MB, so it is loaded at first use. After a failed load, for instance for want of file
 * descriptors, the next count tries again.
 */
function loadTokenizer(): Promise<Count> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Count> {
  const { countTokens, setMergeCacheSize } = await import("gpt-tokenizer/encoding/o200k_base");
  setMergeCacheSize(rememberedMax);
  // Words such as <|endoftext|> are plain text in a prompt.
  return (text) => countTokens(text, { disallowedSpecial: new Set() });
}

/** Rejects where the tokenizer can't be loaded. */
export async function countTokens(texts: readonly string[]): Promise<number> {
  const count = await loadTokenizer();
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  if (all > sampledCharacters) {
    const sampled = await countPieces(count, texts, all / sampledCharacters);
    const tokens = Math.ceil((sampled.tokens * all) / sampled.characters);
    if (tokens > exactTokensMax) return tokens;
  }
  return (await countPieces(count, texts, 1)).tokens;
}

async function countPieces(count: Count, texts: readonly string[], stride: number): Promise<{ tokens: number; characters: number }> {
  let tokens = 0;
  let characters = 0;
  let pieces = 0;
  for (const piece of piecesOf(texts, stride)) {
    tokens += count(piece);
    characters += piece.length;
    if (++pieces % piecesATurn === 0) await breathe();
  }
  return { tokens, characters };
}

/** Cuts before a space where there is one, so that no token is split. Yields one of every `stride` characters of all texts together. */
function* piecesOf(texts: readonly string[], stride: number): Generator<string> {
  let skipped = 0; // characters between the last piece and the next, which may lie some texts further on
  for (const text of texts) {
    let from = skipped;
    while (from < text.length) {
      if (isLowSurrogate(text.charCodeAt(from))) from += 1;
      let to = Math.min(text.length, from + runMax);
      if (to < text.length) {
        const space = from + text.slice(from, to + 1).lastIndexOf(" "); // no further back: a text may have none
        if (space > from) to = space;
        else if (isLowSurrogate(text.charCodeAt(to))) to -= 1;
      }
      yield text.slice(from, to);
      from += Math.ceil((to - from) * stride);
    }
    skipped = from - text.length;
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
