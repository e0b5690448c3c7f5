// Media jobs brought into a state without an upstream: by the same functions of the database that the runner uses, and leased to nobody real
// in the transaction that makes or promotes them, so that no runner ever sees them free.
import { randomUUID } from "node:crypto";
import type { Context } from "../../src/context.ts";
import { inTransaction, type Queries } from "../../src/db/connect.ts";
import { uuidHex, uuidv7 } from "../../src/ids.ts";
import { jobIdText } from "../../src/jobs/read-jobs.ts";
import { submitJob, type Submitted, tierLimits } from "../../src/jobs/submit-request.ts";
import type { JobApi, JobErrorCode, JobFile, JobKind, JobRequest } from "../../src/jobs/types.ts";
import { type Amount, parseUsd } from "../../src/money.ts";
import type { MediaPrices } from "../../src/pricing/media-cost.ts";
import type { Gateway, TestAccount, TestReply } from "./gateway.ts";

const owner = randomUUID();

interface NewJob {
  api?: JobApi;
  kind?: JobKind;
  model?: string;
  alias?: string;
  /** USD. */
  estimated?: string;
  prices?: Partial<MediaPrices>;
  idempotencyKey?: string;
  keyId?: bigint;
  requestId?: string;
  tags?: Record<string, string>;
}

export interface MediaJob extends Submitted {
  shownId: string;
  requestId: string;
}

const imageRequest: JobRequest = {
  kind: "image",
  order: { prompt: "A boat", count: 1, size: { width: 1024, height: 1024 }, aspect: "1:1", quality: null, references: [], extra: {} },
};
const videoRequest: JobRequest = {
  kind: "video",
  order: { prompt: "A boat", firstFrame: null, soundTrack: null, seconds: 5, aspect: null, extra: {} },
};
const operationOf = {
  image: "createImage",
  video: "createVideo",
  genmedia: "runGenmedia",
} as const;

/** Submits as an endpoint would; fails as that. The model need not be in the catalog. */
export async function newJob(gateway: Gateway, account: Pick<TestAccount, "accountId">, job: NewJob = {}): Promise<MediaJob> {
  const { kind = "image" } = job;
  const { api = kind, model = `demo/${kind}`, requestId = `req_${randomUUID()}` } = job;
  const { context } = gateway;
  const { rows } = await context.db.pool.query<{ purchased: Amount; key_id: bigint }>(
    "select b.purchased, k.id as key_id from balance b join api_key k on k.account_id = b.account_id where b.account_id = $1 and k.is_default",
    [account.accountId],
  );
  const caller = { accountId: account.accountId, keyId: job.keyId ?? rows[0]!.key_id, purchased: rows[0]!.purchased, assignedTier: null };
  const submitted = await inTransaction(context.db, async (transaction) => {
    const ask = {
      caller: { ...caller, suspended: false, storesResponses: false, policy: null, session: null },
      ...{ operationId: operationOf[api], api, requestId, tags: job.tags },
      ...{ idempotencyKey: job.idempotencyKey ?? null, addHeaders: () => undefined },
    };
    const plan = {
      model: { ...[...context.catalog.models.values()][0]!, id: model },
      alias: job.alias ?? null,
      request: kind === "image" ? imageRequest : videoRequest,
      prices: { model, unit: kind === "image" ? ("image" as const) : ("second" as const), each: "40000000000", ...job.prices },
      estimated: parseUsd(job.estimated ?? "0.04") as Amount,
    };
    const made = await submitJob({ ...context, db: { ...context.db, pool: transaction.pool as Context["db"]["pool"] } }, ask, plan);
    await leasePending(transaction, account.accountId);
    return made;
  });
  return { ...submitted, shownId: jobIdText(api, submitted.id), requestId };
}

/** From pending to processing. */
export async function startJob({ context }: Gateway, { id }: Pick<MediaJob, "id">): Promise<void> {
  await context.db.pool.query("update media_job set status = 'processing', intent_at = now(), route = 'north/sim' where id = $1", [id]);
}

interface JobEnd {
  to: "succeeded" | "failed" | "expired";
  /** USD. */
  charged?: string;
  units?: number;
  files?: JobFile[];
  code?: JobErrorCode;
  message?: string;
  word?: string;
  attempts?: object[];
}

export const pngFile = (name = `${uuidHex(uuidv7(new Date()))}.png`): JobFile => ({
  name,
  content_type: "image/png",
  width: 1024,
  height: 768,
});
export const mp4File = (name = `${uuidHex(uuidv7(new Date()))}.mp4`): JobFile => ({
  ...{ name, content_type: "video/mp4", width: 1280, height: 720, duration_s: 5, fps: 24 },
});

export async function endJob({ context }: Gateway, account: Pick<TestAccount, "accountId">, { id }: Pick<MediaJob, "id">, end: JobEnd) {
  const { to, charged, units = 1, files, code = "provider_error", message = `It ended with ${code}.`, word, attempts = [] } = end;
  const made = to === "succeeded";
  const values = [
    ...[id, owner, to, made ? parseUsd(charged ?? "0.04") : null, made ? units : null],
    ...[
      made ? JSON.stringify({ files: files ?? [pngFile()] }) : null,
      made ? null : code,
      made ? null : message,
      made ? null : (word ?? null),
    ],
    ...[JSON.stringify(attempts), "1 hour", tierLimits(context.catalog.tiers)],
  ];
  await inTransaction(context.db, async (transaction) => {
    const { rows } = await transaction.pool.query<{ ended: boolean }>(
      "select media_finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as ended",
      values,
    );
    if (rows[0]?.ended !== true) throw new Error(`${id} was not ${owner}'s to end`);
    await leasePending(transaction, account.accountId);
  });
  // As src/jobs/jobs.ts does, after the commit.
  await context.db.pool.query("select pg_notify('media_job', shown_id) from media_job where id = $1", [id]);
}

export async function refundJob({ context }: Gateway, { id }: Pick<MediaJob, "id">): Promise<void> {
  await context.db.pool.query("select media_refund($1)", [id]);
}

/** The job once it has ended: asked for again, as clients do, however long a busy machine takes. */
export async function endedJob(gateway: Pick<Gateway, "request">, id: string, key: string): Promise<TestReply> {
  for (;;) {
    const reply = await gateway.request("GET", `/v1/jobs/${id}?wait=25`, { key });
    if (reply.status !== 200 || reply.json.completed_at !== null) return reply;
  }
}

/** Every open job of the account fails. */
export async function endJobsOf(gateway: Gateway, account: Pick<TestAccount, "accountId">): Promise<void> {
  const open = "select id from media_job where account_id = $1 and status in ('pending', 'processing') limit 1";
  for (;;) {
    const { rows } = await gateway.context.db.pool.query<{ id: string }>(open, [account.accountId]);
    if (rows[0] === undefined) return;
    await endJob(gateway, account, rows[0], { to: "failed" });
  }
}

/** What waits expires, however short it waited. */
export async function expireQueued({ context }: Gateway, { accountId }: Pick<TestAccount, "accountId">): Promise<void> {
  await context.db.pool.query("select media_tidy($1, $2, '0 seconds', '1 hour')", [accountId, tierLimits(context.catalog.tiers)]);
}

async function leasePending(transaction: Queries, accountId: bigint): Promise<void> {
  await transaction.pool.query(
    "update media_job set lease_owner = $2, run_at = now() + interval '1 hour' where account_id = $1 and status = 'pending'",
    [accountId, owner],
  );
}

/**
 * What a gateway's jobs have until they fail with `timeout`: plenty, also on a busy machine, and next to nothing for those of `endsSoon`, whose work
 * waits for their end: a job reads its deadline when it starts to run, which may be after the answer to its submit.
 */
export function jobDeadlines() {
  const plenty = { image: 90_000, video: 90_000 };
  const deadlineMs = { ...plenty };
  return {
    deadlineMs,
    async endsSoon<T>(work: () => Promise<T>, ms = 500): Promise<T> {
      Object.assign(deadlineMs, { image: ms, video: ms });
      return work().finally(() => Object.assign(deadlineMs, plenty));
    },
  };
}

/** Submits that wait no longer for the database than a test likes to. */
export async function withShortTimeout<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { jobs } = context;
  context.jobs = { ...jobs, submitTimeoutMs: 300 };
  try {
    return await work();
  } finally {
    context.jobs = jobs;
  }
}
