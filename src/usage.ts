// What a token-billed call consumed, in disjoint buckets, the same for every dialect.

/** Tokens of one call. `reasoning` is counted inside `output`; the other buckets don't overlap. Never negative. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a prompt cache. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
  /** Of the writes, those that are kept for an hour; absent: none that is known. */
  cacheWriteHour?: number;
  output: number;
  reasoning: number;
  /** Web searches that the provider made, each at a price of its own; absent: it did not say. */
  webSearches?: number;
  /** The service tier that the upstream says it served; absent: it says none. */
  serviceTier?: string | undefined;
}

export const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

/** Of an operation without output: embeddings and rankings. */
export function inputUsage(input: number): Usage {
  return { ...noUsage, input };
}

/** Adds the usage of calls that are charged as one; null where one of them reported none. */
export function sumOfUsages(usages: readonly (Usage | null)[]): Usage | null {
  return usages.reduce<Usage | null>((sum, usage) => (sum === null || usage === null ? null : addUsages(sum, usage)), noUsage);
}

function addUsages(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    cacheWriteHour: (one.cacheWriteHour ?? 0) + (other.cacheWriteHour ?? 0),
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}
