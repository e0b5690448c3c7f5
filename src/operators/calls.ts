// Calls of all accounts as operators see them: with the providers, and what those charge.
import type { components } from "../../generated/api.d.ts";
import { maskedKey } from "../accounts/keys.ts";
import { accountIdText } from "../ids.ts";
import { type LogRow, usageLogRecord } from "../ledger/read-usage-log.ts";
import type { AttemptRecord } from "../ledger/usage-log.ts";
import { toUsd } from "../money.ts";

export function callRecord(row: LogRow): components["schemas"]["OperatorCall"] {
  return {
    ...usageLogRecord(row, maskedKey),
    account_id: accountIdText(row.account_id),
    route: row.attempts.at(-1)?.route ?? null,
    provider_cost_usd: row.expense == null ? null : toUsd(BigInt(row.expense)),
  };
}

/** `cost`: what the provider charges the operator; null: its route names none. */
export function operatorsAttempt(attempt: AttemptRecord) {
  const { route, model, outcome, status, latency_ms, response_id, cause, detail, cost, credential, refused, choice } = attempt;
  const provider = route.slice(0, route.indexOf("/"));
  const usd = cost === undefined ? null : toUsd(BigInt(cost));
  const named = { response_id: response_id ?? null, cause: cause ?? null, detail: detail ?? null };
  const by = { ...(credential === undefined ? {} : { credential }), ...(refused === undefined ? {} : { refused }) };
  const chosen = choice === undefined ? {} : { choice };
  return { provider, route, model, outcome, status, latency_ms, ...named, ...by, ...chosen, cost: usd };
}

export function attemptRecord(attempt: AttemptRecord): components["schemas"]["OperatorAttempt"] {
  const { cost, ...record } = operatorsAttempt(attempt);
  return { ...record, cost_usd: cost };
}
