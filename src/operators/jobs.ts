// Media jobs of all accounts as operators see them: with their routes, attempts and ledger entries.
import type { components } from "../../generated/api.d.ts";
import { findAccount } from "../accounts/admin.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { accountIdText, cutId } from "../ids.ts";
import { fileUrl, shownMoney } from "../jobs/show-job.ts";
import { readJobWork, readStaffJobs, type StaffJob } from "../jobs/staff-jobs.ts";
import { entryRecord, readEntriesOf } from "../ledger/entries.ts";
import { toUsd } from "../money.ts";
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
  if (job === undefined) return fail("job_not_found", { message: `There is no job ${cutId(shownId)}.` });
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
