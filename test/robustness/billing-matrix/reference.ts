// What each cell must cost, by arithmetic of its own: prices x tokens, the tokens known from the simulator's directives or, where
// nobody measured, from the documented count (src/docs/guides/billing-on-failure.md). Imports nothing of the gateway's.
import { type Cell, halfway, isAnthropic, isGemini, saysUsageLast, writes } from "./cells.ts";

/** USD per million tokens; of so many decimals that every sum has to be rounded. */
export interface Prices {
  input: number;
  cached: number;
  output: number;
}

export const asked: Prices = { input: 0.3701, cached: 0.0507, output: 1.1303 };
export const cheaper: Prices = { input: 0.1003, cached: 0.0201, output: 0.4007 };
export const dearer: Prices = { input: 0.7407, cached: 0.1009, output: 2.3011 };

export interface Tokens {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
}

export interface Expected {
  /** How the usage log names the end. */
  status: "success" | "aborted" | "failed";
  tokens: Tokens;
  /** Nobody measured it. */
  estimated: boolean;
  /** 1e-8 USD. */
  units: bigint;
}

/** Said by the simulator where it says usage. */
export const said = { prompt: 1003, cached: 300, written: 200, completion: 77 };
export const saidOfTexts = 7;
export const saidTooMuch = { prompt: 100_000, completion: 9_000 };
/** A text of so many tokens, each so many characters wide; a stream breaks after so many. */
export const text = { tokens: 12, width: 10, broken: 5 };
/** As many as the cap, and so wide that the count is far above it. */
export const wide = { tokens: 5, width: 40 };
export const questions = 2;

/** By the tokenizer: "user", "Hello" and 4 for the message; of the texts to be embedded or ranked, each word is one. */
const promptCounted = { writing: 6, embeddings: 3, rerank: 4 };
/** What is reserved for the same prompt: its 9 bytes and 16 for the message. */
const promptBound = 25;

const none: Tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };

/** `decisionTokens`: by the tokenizer, of the prompts that the simulator got. */
export function expectedOf(cell: Cell, decisionTokens: () => number): Expected {
  const { ending, usage, stream } = cell;
  if (ending.startsWith("left")) return stream ? leftIn(cell) : leftWhole(cell, decisionTokens);
  // The upstream had said why it ended: what broke after that broke nothing of the answer. An error is one whenever it comes.
  const whole = stream && usage === "late" && ending !== "error in the middle";
  if (halfway.includes(ending) && !whole) return failed;
  if (!halfway.includes(ending) && !ending.startsWith("complete") && !ending.startsWith("served")) return failed;
  const neverSaid = usage === "missing" || halfway.includes(ending);
  const tokens = neverSaid ? countedOf(cell, decisionTokens) : measuredOf(cell);
  return { status: "success", tokens, estimated: neverSaid, units: chargeOf(cell, tokens, neverSaid) };
}

const free = { tokens: none, units: 0n };
const failed: Expected = { status: "failed", ...free, estimated: false };

/** Read to its end anyway. */
function leftWhole(cell: Cell, decisionTokens: () => number): Expected {
  const estimated = cell.usage === "missing";
  const tokens = estimated ? countedOf(cell, decisionTokens) : measuredOf(cell);
  return { status: "aborted", tokens, estimated, units: chargeOf(cell, tokens, estimated) };
}

/** The prompt, and what came of the answer. */
function leftIn(cell: Cell): Expected {
  const { ending } = cell;
  const usage = saysUsageLast(cell) && cell.usage === "present" ? "missing" : cell.usage; // said at the end alone
  const delivered = { ...none, input: promptCounted.writing, output: countOf(text.broken, text.width) };
  const end = (tokens: Tokens, estimated: boolean): Expected => ({
    status: "aborted",
    tokens,
    estimated,
    units: unitsOf(asked, tokens, 1n),
  });
  if (ending.startsWith("left before")) {
    const input = usage === "present" && ending === "left before the first token" ? said.prompt : promptCounted.writing;
    return end({ ...none, input }, usage === "missing" || isAnthropic(cell));
  }
  if (usage === "late") return end({ ...delivered, output: countOf(text.tokens, text.width) }, true); // left between finish and usage
  if (usage === "missing") return end(delivered, true);
  // In the anthropic protocol a stream begins with what its prompt measured.
  const { output, ...prompt } = measuredOf(cell);
  return isAnthropic(cell) ? end({ ...prompt, output: delivered.output }, true) : end({ ...prompt, output }, false);
}

/** As documented: a delta is a token at least, and four characters make one. */
function countOf(deltas: number, width: number): number {
  return Math.max(deltas, Math.ceil((deltas * width) / 4));
}

function countedOf(cell: Cell, decisionTokens: () => number): Tokens {
  const { kind, ending } = cell;
  if (kind === "decisions") return { ...none, input: decisionTokens(), output: questions };
  if (kind === "embeddings" || kind === "rerank") return { ...none, input: promptCounted[kind] };
  const shown = ending === "complete, more than was reserved" ? wide : text;
  return { ...none, input: promptCounted.writing, output: countOf(shown.tokens, shown.width) };
}

function measuredOf(cell: Cell): Tokens {
  const { kind, upstream, ending } = cell;
  const tooMuch = ending === "complete, more than was reserved";
  const prompt = tooMuch ? saidTooMuch.prompt : said.prompt;
  if (kind === "embeddings" || kind === "rerank") return { ...none, input: tooMuch ? prompt : saidOfTexts };
  const calls = kind === "decisions" ? questions : 1;
  const written = isGemini(cell) || upstream === "cohere" ? 0 : said.written; // one says only what was read, one bills neither
  const cached = upstream === "cohere" ? 0 : said.cached;
  return {
    input: calls * (prompt - cached - written),
    cacheRead: calls * cached,
    cacheWrite: calls * written,
    output: calls * (tooMuch ? saidTooMuch.completion : said.completion),
  };
}

function chargeOf(cell: Cell, tokens: Tokens, estimated: boolean): bigint {
  const { ending } = cell;
  const at = (prices: Prices) =>
    cell.kind === "decisions" ? unitsOf({ ...prices, output: 0 }, tokens, 10_000n) : unitsOf(prices, tokens, 1n);
  const own = at(asked);
  if (ending === "served by a cheaper model") return at(cheaper);
  if (ending === "served by a dearer model") return own; // never more than the model that was asked for
  const reserved = unitsOf(asked, { ...none, input: promptBound, output: wide.tokens }, 1n);
  return estimated && writes(cell) && ending === "complete, more than was reserved" && own > reserved ? reserved : own;
}

/** Exact in 1e-12 USD, rounded up once to 1e-8 USD, and then to `step` of them. A token written into a cache costs what input costs. */
function unitsOf(prices: Prices, { input, cacheRead, cacheWrite, output }: Tokens, step: bigint): bigint {
  const perToken = (usd: number) => BigInt(Math.round(usd * 1e6));
  const exact =
    BigInt(input + cacheWrite) * perToken(prices.input) +
    BigInt(cacheRead) * perToken(prices.cached) +
    BigInt(output) * perToken(prices.output);
  const units = (exact + 9_999n) / 10_000n;
  return ((units + step - 1n) / step) * step;
}
