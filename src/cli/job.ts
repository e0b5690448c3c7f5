// `svc job …`: shows, lists, refunds and cancels media jobs.
import { Refused } from "../accounts/admin.ts";
import type { Db } from "../db/connect.ts";
import type { JobStatus } from "../jobs/types.ts";
import { readStaffJobs, refundJob, type StaffJob, staffRecord } from "../jobs/staff-jobs.ts";
import { accountIdText } from "../ids.ts";
import { toUsd, usdText } from "../money.ts";
import { shellActor } from "../operators/action-log.ts";
import { cancelJob } from "../operators/calls.ts";
import { readAccount } from "./arguments.ts";
import { readServed } from "./catalog.ts";
import { type Input, type Outcome, UsageError } from "./command.ts";
import { readReason } from "./money.ts";
import { tiersOf } from "../catalog/tiers.ts";
import { recordedByShell, withDatabase } from "./with-database.ts";

const statuses: readonly JobStatus[] = ["queued", "pending", "processing", "succeeded", "failed", "refunded", "expired"];
const listMax = 50;

export async function show({ config, words }: Input): Promise<Outcome> {
  const shownId = words[0]!;
  return withDatabase(config, async (db) => {
    const [job] = await readStaffJobs(db, tiersOf(config.catalogPath), { shownId }, 1);
    if (job === undefined) throw new Refused(`no such job: ${shownId}`);
    const json = staffRecord(job);
    const lines = [
      `submitted ${json.created_at}, started ${json.started_at ?? "not yet"}, ended ${json.completed_at ?? "not yet"}`,
      `estimated ${usdText(job.estimated)} USD, charged ${usdText(job.charged ?? 0n)}, returned ${usdText(job.refunded ?? 0n)}`,
      ...(job.route === null ? [] : [`asked ${job.route}`]),
      ...json.files.map((name) => `file ${name}`),
      ...(json.error === null ? [] : [`${json.error.code}: ${json.error.message ?? ""}`]),
    ];
    return { json, text: [jobLine(job), ...lines.map((line) => `  ${line}`)].join("\n") };
  });
}

export async function list({ config, options }: Input): Promise<Outcome> {
  const status = statuses.find((one) => one === options.status);
  if (options.status !== undefined && status === undefined) throw new UsageError(`--status must be one of ${statuses.join(", ")}`);
  return withDatabase(config, async (db) => {
    const accountId = typeof options.account === "string" ? (await readAccount(db, options.account)).accountId : undefined;
    const found = await readStaffJobs(db, tiersOf(config.catalogPath), { accountId, status }, listMax + 1);
    const jobs = found.slice(0, listMax);
    const more = found.length > listMax;
    const lines = [...jobs.map(jobLine), ...(more ? ["older jobs follow"] : jobs.length === 0 ? ["no jobs"] : [])];
    return { json: { object: "list", data: jobs.map(staffRecord), has_more: more }, text: lines.join("\n") };
  });
}

export async function refund({ config, words }: Input): Promise<Outcome> {
  const shownId = words[0]!;
  return withDatabase(config, async (db) => {
    const tiers = tiersOf(config.catalogPath);
    const [before] = await readStaffJobs(db, tiers, { shownId }, 1);
    const refused = before === undefined ? "unknown" : await refundRecorded(db, before);
    if (before === undefined || refused === "unknown") throw new Refused(`no such job: ${shownId}`);
    if (refused === "refunded") throw new Refused(`${shownId} was already refunded`);
    if (refused !== null) throw new Refused(`${shownId} is ${refused}: only a job that succeeded can be refunded`);
    const [job] = await readStaffJobs(db, tiers, { shownId }, 1);
    const given = `${usdText(before.charged ?? 0n)} USD returned to ${accountIdText(before.account_id)}`;
    return { json: staffRecord(job ?? before), text: `${shownId} refunded, ${given}` };
  });
}

async function refundRecorded(db: Db, { shown_id: shownId, account_id, charged }: StaffJob): Promise<JobStatus | "unknown" | null> {
  const after = { account_id: accountIdText(account_id), status: "refunded", amount_usd: toUsd(charged ?? 0n) };
  const row = (refused: unknown) => (refused === null ? { action: "job.refund", target: shownId, after } : null);
  return recordedByShell(db, db.checks.now(), (transaction) => refundJob(transaction, shownId), row);
}

export async function cancel({ config, words, options }: Input): Promise<Outcome> {
  const shownId = words[0]!;
  const reason = readReason(options.reason);
  return withDatabase(config, async (db) => {
    const { catalog } = await readServed(db, config);
    await cancelJob({ db, clock: db.checks.now, catalog }, shellActor(), { shownId, reason });
    const [job] = await readStaffJobs(db, catalog.tiers, { shownId }, 1);
    const released = job!.started_at === null ? "it held nothing" : `${usdText(job!.estimated)} USD released`;
    return { json: staffRecord(job!), text: `${shownId} cancelled, ${released}` };
  });
}

function jobLine(job: StaffJob): string {
  const state = job.queue_position === null ? job.status : `${job.status}, queue position ${job.queue_position}`;
  return `${job.shown_id} ${accountIdText(job.account_id)} ${job.model} ${state}`;
}
