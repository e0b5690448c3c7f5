// An attempt as the usage log stores it, with what it cost the operator (docs/behaviour/billing.md#expenses).
import { expenseOf, type Used } from "../pricing/expense.ts";
import type { FailureCause } from "../providers/errors/upstream-error.ts";
import type { Attempt } from "./attempt.ts";

/** `used`: what its provider measured, else the most that it is likely to bill. `unsent`: its caller disconnected before the request was sent. */
export function attemptRecord(attempt: Attempt, used: Used, unsent = false) {
  const { candidate, outcome, status, latencyMs, responseId, answers, failure, credential, refused } = attempt;
  const { routeId, model, route, choice } = candidate;
  const cost = route.cost === null ? {} : { cost: String(!unsent && isBilled(attempt) ? expenseOf(route.cost, used) : 0n) };
  const response = responseId === null ? {} : { response_id: responseId };
  const requests = answers > 1 || (answers === 1 && failure !== null) ? { requests: answers } : {};
  const by = credential === undefined ? {} : { credential, ...(refused === undefined ? {} : { refused }) };
  const chosen = choice === undefined ? {} : { choice };
  return {
    route: routeId,
    model: model.id,
    outcome,
    status,
    latency_ms: latencyMs,
    ...by,
    ...response,
    ...requests,
    ...failure,
    ...cost,
    ...chosen,
  };
}

/** Providers bill no call that they didn't get or answered with an error. They bill what they made, read to its end or not. */
function isBilled({ outcome, failure }: Attempt): boolean {
  return failure === null || outcome === "interrupted" || workLost.has(failure.cause);
}

/** The provider had the request, and an answer was made or under way. */
const workLost: ReadonlySet<FailureCause> = new Set([
  "timeout_first_byte",
  "timeout_idle",
  "timeout_answer",
  "connection_reset",
  "unreadable",
  "ended_early",
  "slow_reader",
  "file",
]);
