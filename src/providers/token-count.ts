// A number of tokens, as any upstream may write it.

/** Above any context window there is: such a number is a fault, and must not become a charge. */
const largestCount = 100_000_000;

/** The first of the values that can be a number of tokens; some hosts write it as text. */
export function count(...values: unknown[]): number | null {
  for (const shown of values) {
    const value = typeof shown === "string" && /^\d{1,9}(\.\d{1,6})?$/.test(shown) ? Number(shown) : shown;
    if (typeof value === "number" && value >= 0 && value <= largestCount) return Math.ceil(value);
  }
  return null;
}
