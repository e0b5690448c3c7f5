// The ledger as a whole for operators: its state, and audits of it in the background.
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import { failNotPossible } from "../errors/fail.ts";
import { type AuditRow, type FoundByAudit, readAudits, readLedgerState } from "../ledger/audits.ts";
import { toUsd } from "../money.ts";
import { type Actor, recorded } from "./action-log.ts";

type Schemas = components["schemas"];

export async function showLedger({ db }: Pick<Context, "db">): Promise<Schemas["OperatorLedger"]> {
  const [state, { newest, found }] = await Promise.all([readLedgerState(db), readAudits(db)]);
  return {
    object: "operator.ledger",
    as_of: state.asOf.toISOString(),
    accounts: Number(state.accounts),
    balance_usd: toUsd(state.balance),
    negative_accounts: Number(state.negative),
    negative_usd: toUsd(state.below),
    holds_open: Number(state.holds),
    held_usd: toUsd(state.held),
    oldest_hold_at: state.oldestHold?.toISOString() ?? null,
    media_holds_open: Number(state.jobs),
    media_held_usd: toUsd(state.heldByJobs),
    oldest_media_hold_at: state.oldestJob?.toISOString() ?? null,
    audit: newest === null ? null : auditRecord(newest),
    last_result: found === null ? null : auditRecord(found),
  };
}

export async function startAudit(
  { db, clock, ledgerAudits }: Pick<Context, "db" | "clock" | "ledgerAudits">,
  actor: Actor,
  reason: string,
): Promise<Schemas["LedgerAudit"]> {
  const begun = await recorded(db, actor, clock(), async (transaction) => {
    const row = await ledgerAudits.begin(transaction, actor.who);
    if (row === null) return failNotPossible("an audit is running");
    return { result: row, row: { action: "ledger.audit", target: idText(row), reason, before: null, after: null } };
  });
  ledgerAudits.run(begun.id);
  return auditRecord(begun);
}

function idText({ id }: Pick<AuditRow, "id">): string {
  return `aud_${id}`;
}

function auditRecord(row: AuditRow): Schemas["LedgerAudit"] {
  return {
    object: "operator.ledger.audit",
    id: idText(row),
    status: row.status,
    started_at: row.startedAt.toISOString(),
    started_by: row.startedBy,
    ended_at: row.endedAt?.toISOString() ?? null,
    result: row.result === null ? null : resultRecord(row.result),
  };
}

const mismatchesMax = 100;

function resultRecord({ balances, chain }: FoundByAudit): Schemas["LedgerAuditResult"] {
  const { broken } = chain;
  return {
    accounts: balances.accounts,
    entries: balances.entries,
    media_holds_open: balances.holds_open,
    holds_open: balances.reservations_open,
    mismatches: balances.mismatches.slice(0, mismatchesMax).map(({ account_id, what, stored, computed }) => ({
      ...{ account_id, what, stored_usd: stored, computed_usd: computed },
    })),
    truncated: balances.mismatches.length > mismatchesMax,
    chain_head: chain.head,
    chain_entries: chain.entries,
    broken: broken === null ? null : { account_id: broken.account_id, entry_id: broken.entry_id, reason: broken.reason },
  };
}
