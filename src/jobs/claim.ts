// Every write of a runner to a job's row except its end. Each names the owner of the lease, so a runner that lost it writes nothing.
// A claim sets lease_owner and moves run_at on: run_at is both when a job is due and when its lease ends.
import type { Db } from "../db/connect.ts";
import type { AttemptRecord } from "../ledger/usage-log.ts";
import type { Ticket } from "../providers/verbs/media.ts";
import { interval, type JobParts } from "./parts.ts";
import type { JobRequest, JobRow, Uploads } from "./types.ts";

/** A job as a runner claims it. */
export interface ClaimedJob extends Pick<
  JobRow,
  "id" | "account_id" | "kind" | "shown_id" | "model" | "prices" | "secret" | "estimated" | "route" | "upstream"
> {
  /** Without its uploads. */
  request: JobRequest;
  has_uploads: boolean;
  request_id: string;
  operation: string;
  /** Attempts of earlier runners. */
  attempts: JobAttempt[];
  /** Whether an earlier runner asked a route. */
  was_asked: boolean;
  /** Whether the key that ordered it has been disabled or deleted since. */
  is_revoked: boolean;
  /** Since its route was asked, by the database's clock; 0: none was. Waiting for a runner costs a job none of its time. */
  age_ms: number;
}

/** An attempt at a route as usage_log stores it; its cost basis doesn't depend on the route. */
export interface JobAttempt extends Omit<AttemptRecord, "cost_basis"> {
  /** As in X-Svc-Fallback-Layer; 0: the model's first route. */
  layer: number;
}

/** Another runner has the job, or the job has ended. */
export class LeaseLost extends Error {}

type Leasing = Pick<JobParts, "db" | "owner" | "times">;

/**
 * Claims due jobs, the longest waiting first; where `isShort` of room, first those of the accounts with the fewest running. A job that is
 * older than jobs may get is left to the sweep.
 */
export async function claimJobs({ db, owner, times }: Leasing, most: number, isShort = false): Promise<ClaimedJob[]> {
  const values = [owner, most, interval(times.leaseMs), interval(times.runLifeMs)];
  const { rows } = await db.pool.query<ClaimedJob>(isShort ? fairClaimSql : claimSql, values);
  return rows;
}

const claim = (due: string) => `
  with due as materialized (${due})
  update media_job j set lease_owner = $1, run_at = clock_timestamp() + $3::interval from due where j.id = due.id
  returning j.id, j.account_id, j.kind, j.shown_id, j.model, j.prices, j.secret, j.estimated, j.route, j.upstream, j.request - 'uploads' as request, j.request ? 'uploads' as has_uploads, j.request_id, j.operation, j.attempts,
    j.intent_at is not null as was_asked, exists (select from api_key k where k.id = j.key_id and key_revoked(k)) as is_revoked,
    coalesce(extract(epoch from clock_timestamp() - j.intent_at) * 1000, 0)::float8 as age_ms`;

/** The index holds running jobs only. */
export const claimSql = claim(
  "select id from media_job where run_at <= now() and started_at > now() - $4::interval order by run_at limit $2 for update skip locked",
);

/** Reads every running job of all processes: a claim takes 5 ms among 4000. */
const fairClaimSql = claim(`
  select id from media_job where run_at <= now() and id = any(array(
    select w.id from (
      select id, run_at, started_at, row_number() over (partition by account_id order by run_at <= now(), run_at) as place
      from media_job where run_at is not null
    ) w where w.run_at <= now() and w.started_at > now() - $4::interval order by w.place, w.run_at limit $2
  )) for update skip locked`);

/**
 * Renews the leases of all these jobs; returns those that are still the owner's. A locked row is left for the next round, so that a renewal
 * never waits and can't deadlock.
 */
export async function renewLeases({ db, owner, times }: Leasing, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.pool.query<{ id: string }>(
    `with mine as materialized (select id from media_job where id = any($2) and lease_owner = $1 for update skip locked),
     renewed as (update media_job j set run_at = clock_timestamp() + $3::interval from mine where j.id = mine.id)
     select id from media_job where id = any($2) and lease_owner = $1`,
    [owner, ids, interval(times.leaseMs)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Any process may claim them at once. */
export async function giveBack({ db, owner }: Pick<Leasing, "db" | "owner">, ids: readonly string[]): Promise<void> {
  await db.pool.query(
    `with given as (update media_job set lease_owner = null, run_at = now() where id = any($2) and lease_owner = $1 returning 1)
     select pg_notify('media_turn', '') from given limit 1`,
    [owner, ids],
  );
}

/**
 * Written before a route is asked: after a crash it is unknown whether it was, and it is not asked again. Waits for the disk, even with
 * synchronous_commit off, and begins a whole lease: a process that stands still for longer finds another one's job, and does not ask.
 */
export async function writeIntent({ db, owner, times }: Leasing, id: string, routeId: string): Promise<void> {
  const since = performance.now();
  await mine(
    db,
    `with durable as materialized (select set_config('synchronous_commit', 'on', true))
     update media_job set status = 'processing', intent_at = clock_timestamp(), route = $3, run_at = clock_timestamp() + $4::interval
     from durable where id = $2 and lease_owner = $1`,
    [owner, id, routeId, interval(times.leaseMs)],
  );
  if (performance.now() - since >= times.leaseMs) throw new LeaseLost();
}

/** Writes the ticket with the attempts that led to it. */
export async function writeTicket({ db, owner }: Leasing, id: string, ticket: Ticket, attempts: readonly JobAttempt[]): Promise<void> {
  const sql = "update media_job set upstream = $3, attempts = $4 where id = $2 and lease_owner = $1";
  await mine(db, sql, [owner, id, JSON.stringify(ticket), JSON.stringify(attempts)]);
}

/** What the job's request uploaded. */
export async function readUploads({ db, owner }: Leasing, id: string): Promise<Uploads> {
  const sql = "select request->'uploads' as uploads from media_job where id = $2 and lease_owner = $1";
  const { rows } = await db.pool.query<{ uploads: Uploads }>(sql, [owner, id]);
  if (rows[0] === undefined) throw new LeaseLost();
  return rows[0].uploads;
}

async function mine(db: Db, sql: string, values: unknown[]): Promise<void> {
  const { rowCount } = await db.pool.query(sql, values);
  if (rowCount !== 1) throw new LeaseLost();
}
