// Counts tokens of text with a real tokenizer (o200k), where no upstream says them: an estimate for other vendors' models,
// within a few per cent for prose. Knows nothing of requests.
import { setImmediate as breathe } from "node:timers/promises";

/** A tokenizer's work grows with the square of an unbroken run of characters; no word is that long. */
const runMax = 256;
/**
 * Texts of more tokens are counted by a sample, spread evenly over all of them: 25 MB would hold up everybody for seconds. The beginning
 * alone would say little: tools come first and prose after them, or words first and rare characters after them.
 */
const exactTokensMax = 32_768;
/** Rare characters are two or three tokens each and cost the most: some 50 ms for these. */
const sampledCharacters = 32_768;
/** Pieces between two turns of the event loop: a few milliseconds of the worst text. */
const piecesATurn = 32;

/** Pieces of prompts that the tokenizer remembers, the commonest; by itself it would keep 100,000. */
const rememberedMax = 4_096;

type Count = (text: string) => number;
let loading: Promise<Count> | undefined;

/**
 * The table of ranks takes an eighth of a second and 70 MB: for those who need it. What could not be loaded, as where descriptors are
 * short, the next who counts loads.
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

/** Cut before a space where there is one, so that no token is cut. Of all texts together one character in `stride` is in a piece. */
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
