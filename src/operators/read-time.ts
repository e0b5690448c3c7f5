// Times in the queries of operators' operations.
import { failParameter } from "../errors/fail.ts";

/** The edge checks the format only, so a time that no clock shows, such as second 61, is refused here. */
export function readTime(param: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? failParameter(param, "it must be a time such as 2026-11-21T10:00:00Z") : time;
}

const dayMs = 24 * 60 * 60 * 1000;
const daysMax = 31;

/** The last day where nothing is named; at most a month. */
export function readSpan(query: { from?: string; to?: string }, now: Date): { from: Date; to: Date } {
  const to = readTime("to", query.to) ?? now;
  const from = readTime("from", query.from) ?? new Date(to.getTime() - dayMs);
  if (from >= to) failParameter("from", "it must be before `to`");
  if (to.getTime() - from.getTime() > daysMax * dayMs) failParameter("from", `it must be at most ${daysMax} days before \`to\``);
  return { from, to };
}
