// Media jobs of all accounts as operators see them, with their routes, attempts and ledger entries; and their cancelling.
import type { components } from "../../generated/api.d.ts";
import { findAccount } from "../accounts/admin.ts";
import type { Context } from "../context.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { accountIdText, cutId } from "../ids.ts";
import { fileUrl, shownMoney } from "../jobs/show-job.ts";
import { cancelJob as cancelLocked, readJobWork, readStaffJobs, type StaffJob } from "../jobs/staff-jobs.ts";
import { entryRecord, readEntriesOf } from "../ledger/entries.ts";
import { toUsd } from "../money.ts";
import { type Actor, recorded } from "./action-log.ts";
import { attemptRecord } from "./calls.ts";

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
