// What operators' operations read of a request: who asks, as the edge let in no other caller, and the times of a query.
import type { Caller } from "../accounts/caller.ts";
import type { Operator } from "../accounts/operators.ts";
import { failParameter } from "../errors/fail.ts";
import { type Actor, operatorActor } from "./action-log.ts";

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

export function operatorOf({ operator }: Caller): Operator {
  if (operator === undefined) throw new Error("an operator's operation without an operator");
  return operator;
}

export function actorOf({ caller, address, requestId }: { caller: Caller; address: string; requestId: string }): Actor {
  return operatorActor(operatorOf(caller), { address, requestId });
}
