// Reads media jobs: one, or a page of an account's. Writes nothing; show-job.ts shows them as the contract does.
import type { Caller } from "../accounts/caller.ts";
import { type TierFacts, tierOf } from "../catalog/tiers.ts";
import type { Context } from "../context.ts";
import { parseUuidHex, uuidHex } from "../ids.ts";
import { sharesMediaPool } from "../limits/slots.ts";
import type { JobApi, JobKind, JobRow, JobStatus } from "./types.ts";

/** A job without what only its runner needs. */
export interface ReadJob extends Omit<JobRow, "request" | "prices" | "secret" | "route" | "upstream"> {
  /** Position in the queue, from 1; null: it doesn't wait. */
  queue_position: number | null;
}

/** The account whose jobs are read; its tier decides whether images and videos share one queue. */
type JobReader = Pick<Caller, "accountId" | keyof TierFacts>;

type Reading = Pick<Context, "db" | "catalog">;

/** `isOneQueue`: an SQL expression, whether images and videos of j's account share one queue. */
export function jobColumns(isOneQueue: string): string {
  return `j.id, j.account_id, j.api, j.kind, j.shown_id, j.status, j.seq, j.model, j.alias, j.estimated, j.charged, j.refunded,
    j.output, j.error_code, j.error_message, j.error_word, j.created_at, j.started_at, j.completed_at,
    case when j.status = 'queued' then (select count(*)::int from media_job q where q.account_id = j.account_id and q.status = 'queued'
      and q.seq <= j.seq and (q.kind = j.kind or ${isOneQueue})) end as queue_position`;
}

/** Absent fields match all jobs. */
interface JobFilter {
  statuses?: readonly JobStatus[] | undefined;
  model?: string | undefined;
  kind?: JobKind | undefined;
  /** Only jobs submitted before this one, by its seq. */
  before?: bigint | undefined;
}

/** By its row's id. Undefined: it is not the reader's. */
export async function readJob(reading: Reading, reader: JobReader, id: string): Promise<ReadJob | undefined> {
  const [job] = await readRows(reading, reader, { where: "j.id = $3", values: [id], limit: 1 });
  return job;
}

/** By its shown id, if it came through one of these APIs. Undefined: it did not, or it is not the reader's. */
export async function findJob(reading: Reading, reader: JobReader, shownId: string, apis: readonly JobApi[]): Promise<ReadJob | undefined> {
  const parsed = parseJobId(shownId);
  if (parsed === undefined || !apis.includes(parsed.api)) return undefined;
  const job = await readJob(reading, reader, parsed.id);
  return job?.shown_id === shownId ? job : undefined;
}

/** Image and video jobs, newest first; genmedia's have a path of their own. */
export async function readJobs(reading: Reading, reader: JobReader, filter: JobFilter, limit: number): Promise<ReadJob[]> {
  const values: unknown[] = [];
  const conditions = ["j.api <> 'genmedia'"];
  const put = (condition: (place: string) => string, value: unknown) => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value) + 2}`));
  };
  // Literals rather than a parameter: the planner uses the partial index of open jobs only if it sees them.
  if (filter.statuses !== undefined) conditions.push(`j.status in (${filter.statuses.map((status) => `'${status}'`).join(", ")})`);
  put((model) => `j.model = ${model}`, filter.model);
  put((kind) => `j.kind = ${kind}`, filter.kind);
  put((place) => `j.seq < ${place}`, filter.before);
  return await readRows(reading, reader, { where: conditions.join(" and "), values, limit });
}

/** A condition numbers its values from $3 on. */
async function readRows(
  { db, catalog }: Reading,
  reader: JobReader,
  { where, values, limit }: { where: string; values: unknown[]; limit: number },
): Promise<ReadJob[]> {
  const isOneQueue = sharesMediaPool(tierOf(catalog, reader));
  const { rows } = await db.pool.query<ReadJob>(
    `select ${jobColumns("$2")} from media_job j where j.account_id = $1 and ${where} order by j.seq desc limit $${values.length + 3}`,
    [reader.accountId, isOneQueue, ...values, limit],
  );
  return rows;
}

// The id that callers see: a prefix for the API, and the row's id (docs/behaviour/media-jobs.md#lists).

const prefixes: Record<JobApi, string> = { image: "job", video: "vid", genmedia: "gm" };
const apis = new Map(Object.entries(prefixes).map(([api, prefix]) => [prefix, api as JobApi]));

export function jobIdText(api: JobApi, id: string): string {
  return `${prefixes[api]}_${uuidHex(id)}`;
}

/** Undefined: not an id of a job. */
export function parseJobId(text: string): { id: string; api: JobApi } | undefined {
  const [, prefix = "", hex = ""] = /^([a-z]+)_([0-9a-f]{32})$/.exec(text) ?? [];
  const api = apis.get(prefix);
  const id = parseUuidHex(hex);
  return api === undefined || id === undefined ? undefined : { id, api };
}
