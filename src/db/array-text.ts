// Lists as Postgres writes arrays, for statements that take hundreds of values: pg would look through every element for quotes.

/** Numbers, UUIDs and nulls: nothing among them needs quotes. */
export function plainArray(values: readonly (bigint | number | string | null)[]): string {
  let text = "{";
  for (const value of values) text += `${text === "{" ? "" : ","}${value ?? "NULL"}`;
  return `${text}}`;
}
