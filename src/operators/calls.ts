// Calls and media jobs of all accounts as operators see them: with the providers, what those charge, routes, attempts and ledger entries;
// and the cancelling of jobs.
import type { components } from "../../generated/api.d.ts";
import { findAccount } from "../accounts/admin.ts";
import { maskedKey } from "../accounts/keys.ts";
import type { Context } from "../context.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { accountIdText, cutId } from "../ids.ts";
import { fileUrl, shownMoney } from "../jobs/show-job.ts";
import { cancelJob as cancelLocked, readJobWork, readStaffJobs, type StaffJob } from "../jobs/staff-jobs.ts";
import { entryRecord, readEntriesOf } from "../ledger/entries.ts";
import { type LogRow, usageLogRecord } from "../ledger/read-usage-log.ts";
import type { AttemptRecord } from "../ledger/usage-log.ts";
import { toUsd } from "../money.ts";
import { type Actor, recorded } from "./action-log.ts";

type Schemas = components["schemas"];

export function jobRecord(job: StaffJob): Schemas["OperatorJob"] {
  const { shown_id: id, request_id, api, kind, status, queue_position, model, alias, route } = job;
  const { charged_amount: charged_usd, refunded_amount: refunded_usd } = shownMoney(job);
  return {
    ...{ id, object: "operator.job", account_id: accountIdText(job.account_id), request_id },
    ...{ api, kind, status, queue_position, model, alias, route },
    created_at: job.created_at.toISOString(),
    started_at: job.started_at?.toISOString() ?? null,
    completed_at: job.completed_at?.toISOString() ?? null,
    ...{ estimated_usd: toUsd(job.estimated), charged_usd, refunded_usd },
    error: job.error_code === null ? null : { code: job.error_code, message: job.error_message, word: job.error_word },
  };
}

type Needs = Pick<Context, "db" | "catalog" | "publicUrl">;

export async function jobDetail({ db, catalog, publicUrl }: Needs, shownId: string): Promise<Schemas["OperatorJobDetail"]> {
  const [job] = await readStaffJobs(db, catalog.tiers, { shownId }, 1);
  if (job === undefined) failUnknown(shownId);
  const account_id = accountIdText(job.account_id);
  const [account, work, ledger] = await Promise.all([
    findAccount(db, account_id),
    readJobWork(db, job.id),
    readEntriesOf(db, job.account_id, job.id),
  ]);
  return {
    ...jobRecord(job),
    email: account!.email,
    files: job.output?.files.map((file) => fileUrl(publicUrl, file)) ?? [],
    attempts: work.attempts.map(attemptRecord),
    asked_at: work.askedAt?.toISOString() ?? null,
    leased_until: work.leasedUntil?.toISOString() ?? null,
    ledger: ledger.map(entryRecord),
  };
}

/** Fails with job_not_found, or with not_possible where the job has ended. */
export async function cancelJob(
  { db, clock, catalog }: Pick<Context, "db" | "clock" | "catalog">,
  actor: Actor,
  { shownId, reason }: { shownId: string; reason: string },
): Promise<void> {
  await recorded(db, actor, clock(), async (transaction) => {
    const { refused, before, released } = await cancelLocked(transaction, catalog, shownId);
    if (refused === "unknown") failUnknown(shownId);
    if (refused !== null) failNotPossible(`the job is ${refused}: it has ended`);
    const after = { status: "failed", error: "job_cancelled", released_usd: toUsd(released) };
    return { result: undefined, row: { action: "job.cancel", target: shownId, reason, before: { status: before }, after } };
  });
}

function failUnknown(shownId: string): never {
  return fail("job_not_found", { message: `There is no job ${cutId(shownId)}.` });
}

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
