// The cells of the billing matrix: every endpoint x streamed or not x how usage is said x how the call ends
// (docs/behaviour/billing.md#ends), and those that make no sense, each with the reason.

export type Kind = "chat" | "messages" | "completions" | "responses" | "embeddings" | "rerank" | "decisions";
export type UpstreamProtocol =
  "openai" | "azure-openai" | "anthropic" | "bedrock" | "gemini" | "vertex" | "vertex-claude" | "cohere" | "rerank";

export interface Endpoint {
  kind: Kind;
  upstream: UpstreamProtocol;
}

/** Of a model that writes text: streamed or not, with output that is paid for. */
const translated = (["chat", "messages", "completions", "responses"] as const).flatMap((kind) =>
  (["openai", "anthropic", "gemini", "cohere"] as const).map((upstream) => ({ kind, upstream })),
);

/**
 * Azure's differs from OpenAI's by addresses and by a first record of a stream, Vertex from Gemini's and Anthropic's by addresses: one endpoint
 * stands for all. Bedrock is translated by way of the anthropic protocol, whose other endpoints stand above.
 */
const writing: readonly Endpoint[] = [
  ...translated,
  { kind: "chat", upstream: "azure-openai" },
  { kind: "chat", upstream: "bedrock" },
  { kind: "messages", upstream: "bedrock" },
  { kind: "chat", upstream: "vertex" },
  { kind: "messages", upstream: "vertex-claude" },
];

/** Whose rules for usage hold there. */
export const isGemini = ({ upstream }: Pick<Endpoint, "upstream">) => upstream === "gemini" || upstream === "vertex";
export const isAnthropic = ({ upstream }: Pick<Endpoint, "upstream">) => upstream === "anthropic" || upstream === "vertex-claude";
export const saysUsageLast = ({ upstream }: Pick<Endpoint, "upstream">) => upstream === "cohere" || upstream === "bedrock";

export const saysMalformed = ({ upstream }: Pick<Endpoint, "upstream">) => ["gemini", "vertex", "bedrock"].includes(upstream);

export const endpoints: readonly Endpoint[] = [
  ...writing,
  { kind: "embeddings", upstream: "openai" },
  { kind: "rerank", upstream: "rerank" },
  { kind: "decisions", upstream: "openai" },
];

export const writes = ({ kind }: Pick<Endpoint, "kind">) => writing.some((endpoint) => endpoint.kind === kind);

/** present: once, where the protocol has it. missing: never. late: after the finish. doubled: twice. */
const usages = ["present", "missing", "late", "doubled"] as const;
export type UsageSaid = (typeof usages)[number];

const endings = [
  "complete",
  "complete, more than was reserved",
  "complete, its last tool call malformed",
  "served by the second route",
  "served by a cheaper model",
  "served by a dearer model",
  "left before the first byte",
  "left before the first token",
  "left in the middle",
  "cut in the middle",
  "error in the middle",
  "ended without its end",
  "silent before the first byte",
  "silent in the middle",
  "refused by every route",
  "rejected",
  "unreadable",
] as const;
export type Ending = (typeof endings)[number];

export interface Cell extends Endpoint {
  stream: boolean;
  usage: UsageSaid;
  ending: Ending;
}

/** Endings with nothing to say usage in. */
const unanswered: readonly Ending[] = [
  "left before the first byte",
  "silent before the first byte",
  "refused by every route",
  "rejected",
  "unreadable",
];

/** Endings half way through an answer. */
export const halfway: readonly Ending[] = [
  "left in the middle",
  "cut in the middle",
  "error in the middle",
  "ended without its end",
  "silent in the middle",
];

export interface Exclusion {
  reason: string;
  covers(cell: Cell): boolean;
}

/** The first that covers a cell counts. */
export const exclusions: readonly Exclusion[] = [
  { reason: "embeddings, rerank and decisions have no stream.", covers: (cell) => cell.stream && !writes(cell) },
  {
    reason: "A whole answer says its usage with all the rest: it can't come late or twice.",
    covers: ({ stream, usage }) => !stream && (usage === "late" || usage === "doubled"),
  },
  {
    reason: "No answer came in which usage could have been: the row 'missing' stands for all.",
    covers: ({ ending, usage }) => unanswered.includes(ending) && usage !== "missing",
  },
  {
    reason: "Half of a document can't be read, and usage in it neither: the row 'missing' stands for both.",
    covers: ({ stream, ending, usage }) => !stream && halfway.includes(ending) && ending !== "left in the middle" && usage !== "missing",
  },
  {
    reason: "Usage that was said twice had been said once, and that was after the finish: the stream did not break in its middle.",
    covers: ({ ending, usage }) => halfway.includes(ending) && usage === "doubled",
  },
  {
    reason: "A whole answer is read to its end whenever its client disconnects: the row 'left in the middle' stands for all.",
    covers: ({ stream, ending }) => !stream && ending.startsWith("left before"),
  },
  {
    reason: "Usage that comes after the text, or twice, had not come before its first token: the row 'missing' is the same.",
    covers: ({ ending, usage }) => ending === "left before the first token" && (usage === "late" || usage === "doubled"),
  },
  {
    reason: "The anthropic protocol says the finish and the usage in one event: usage can't be later.",
    covers: (cell) => isAnthropic(cell) && cell.usage === "late",
  },
  {
    reason: "The gemini protocol says its usage with every record: it is never late, and always said again.",
    covers: (cell) => cell.stream && isGemini(cell) && (cell.usage === "late" || cell.usage === "doubled"),
  },
  {
    reason: "The cohere and bedrock protocols say the usage in their last event: it can't be later, nor come twice.",
    covers: (cell) => cell.stream && saysUsageLast(cell) && (cell.usage === "late" || cell.usage === "doubled"),
  },
  {
    reason: "The gemini protocol's first record has the first token, and nothing has been said before it.",
    covers: (cell) => isGemini(cell) && cell.ending === "left before the first token" && cell.usage === "present",
  },
  {
    reason: "The other protocols have no word for a model's malformed call.",
    covers: (cell) => !saysMalformed(cell) && cell.ending === "complete, its last tool call malformed",
  },
  {
    reason: "A count of texts is never above their bytes, which were reserved, and there is no output that is paid for.",
    covers: (cell) => !writes(cell) && cell.ending === "complete, more than was reserved" && cell.usage === "missing",
  },
];

export function product(of: readonly Endpoint[]): Cell[] {
  return of.flatMap((endpoint) =>
    [false, true].flatMap((stream) => endings.flatMap((ending) => usages.map((usage) => ({ ...endpoint, stream, usage, ending })))),
  );
}

export function exclusionOf(cell: Cell): Exclusion | undefined {
  return exclusions.find(({ covers }) => covers(cell));
}

export function nameOf({ kind, upstream, stream, usage, ending }: Cell): string {
  return `${kind} over ${upstream}, ${stream ? "streamed" : "whole"}, usage ${usage}, ${ending}`;
}
