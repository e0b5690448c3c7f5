// Counts tokens of text with a real tokenizer (o200k), where no upstream says them: an estimate for other vendors' models,
// within a few per cent for prose. Knows nothing of requests.
import { setImmediate as breathe } from "node:timers/promises";

/** A tokenizer's work grows with the square of an unbroken run of characters; no word is that long. */
const runMax = 256;
/**
 * Text beyond either is counted by the rate of what came before: 25 MB would hold up everybody for seconds, and rare characters,
 * of two or three tokens each, cost the most. The worst text takes some 50 ms.
 */
const countedTokensMax = 32_768;
const countedCharactersMax = 262_144;
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
  let tokens = 0;
  let counted = 0;
  let pieces = 0;
  for (const text of texts) {
    for (const piece of piecesOf(text)) {
      if (tokens >= countedTokensMax || counted >= countedCharactersMax) break;
      tokens += count(piece);
      counted += piece.length;
      if (++pieces % piecesATurn === 0) await breathe();
    }
  }
  const all = texts.reduce((sum, text) => sum + text.length, 0);
  return counted === all ? tokens : Math.ceil((tokens * all) / counted);
}

/** Cut before a space where there is one, so that no token is cut. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + runMax);
    if (to < text.length) {
      const space = from + text.slice(from, to + 1).lastIndexOf(" "); // no further back: a text may have none
      if (space > from) to = space;
      else if (isLowSurrogate(text.charCodeAt(to))) to -= 1;
    }
    yield text.slice(from, to);
    from = to;
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
