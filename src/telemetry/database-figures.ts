// Metrics that only the database knows: holds by age, media jobs, negative balances, whether balances agree with the entries. Queried at most every few
// seconds; an unavailable database neither fails nor delays a scrape.
import type { Queries } from "../db/connect.ts";
import type { Metrics } from "./metrics.ts";
import type { Sample } from "./plain-metric.ts";

interface DatabaseFigures {
  transaction: <T>(work: (queries: Queries) => Promise<T>) => Promise<T>;
  /** A bounded check of the ledger (src/ledger/audit.ts). */
  lookAtParity(
    queries: Queries,
    look: { after: bigint; most: number; suspects: readonly bigint[] },
  ): Promise<{ checked: number; next: bigint; mismatched: bigint[] }>;
  onFault: (error: unknown, what: string) => void;
}

/** waitMs: how long a scrape waits; Prometheus gives up after 10 s. */
const holdTimes = { everyMs: 5_000, waitMs: 2_000 };
/** Accounts are checked in the background: a scrape shows the last result. */
const parityTimes = { everyMs: 60_000, waitMs: 0 };
const accountsALook = 1_000;
const statementSql = "set local statement_timeout = '5s'";

export function addDatabaseFigures(metrics: Metrics, { transaction, lookAtParity, onFault }: DatabaseFigures): void {
  let holds: HoldRow[] = [];
  let jobs: JobRow[] = [];
  let outbox: OutboxRow = { waiting: 0, oldest: 0 };
  const looking = keepLooking(
    holdTimes,
    () =>
      transaction(async ({ pool }) => {
        await pool.query(statementSql);
        holds = (await pool.query<HoldRow>(holdsSql)).rows;
        jobs = (await pool.query<JobRow>(jobsSql)).rows;
        outbox = (await pool.query<OutboxRow>(outboxSql)).rows[0]!;
      }),
    (error) => onFault(error, "reading figures"),
  );
  // Old metrics would mislead: without an answer from the database none are shown.
  const known = (read: () => Sample[]) => () => (looking.works() ? read() : []);
  const ofKind = (name: string, help: string, read: (rows: HoldRow[]) => number) =>
    [
      { name, help, type: "gauge" },
      known(() => holdKinds.map((kind) => ({ labels: { kind }, value: read(holds.filter((row) => row.kind === kind)) }))),
    ] as const;
  const ofJobs = (name: string, help: string, figure: "jobs" | "oldest") =>
    [
      { name, help, type: "gauge" },
      known(() =>
        jobKinds.flatMap((kind) =>
          jobStates.map((state) => {
            const row = jobs.find((job) => job.kind === kind && job.state === state);
            return { labels: { kind, state }, value: row?.[figure] ?? 0 };
          }),
        ),
      ),
    ] as const;
  metrics.addShared(looking.refresh, [
    [
      { name: "svc_database_up", help: "1: the database answered the last time it was asked", type: "gauge" },
      () => [{ labels: {}, value: looking.works() ? 1 : 0 }],
    ],
    [
      { name: "svc_open_holds", help: "Open holds by age: up to that long, above the one before it", type: "gauge" },
      known(() =>
        holdKinds.flatMap((kind) =>
          holdAges.map((age) => ({
            labels: { kind, age },
            value: holds.find((row) => row.kind === kind && row.age === age)?.holds ?? 0,
          })),
        ),
      ),
    ],
    ofKind("svc_open_holds_usd", "What open holds hold", (rows) => rows.reduce((sum, { units }) => sum + units, 0) / 1e8),
    ofKind("svc_oldest_hold_seconds", "Age of the oldest open hold", (rows) => Math.max(0, ...rows.map(({ oldest }) => oldest))),
    ofKind("svc_hold_overdue_seconds", "For how long a hold is open that should have ended by itself", (rows) =>
      Math.max(0, ...rows.map(({ overdue }) => overdue)),
    ),
    ofJobs("svc_media_jobs", "Open media jobs", "jobs"),
    ofJobs("svc_media_jobs_oldest_seconds", "Since the oldest of them was submitted; a pending one: since it got its slot", "oldest"),
    [
      { name: "svc_notices_waiting", help: "Notices that are not delivered yet", type: "gauge" },
      known(() => [{ labels: {}, value: outbox.waiting }]),
    ],
    [
      { name: "svc_notices_oldest_seconds", help: "For how long the oldest of them is due", type: "gauge" },
      known(() => [{ labels: {}, value: Math.max(0, outbox.oldest) }]),
    ],
  ]);
  addParity(metrics, { transaction, lookAtParity, onFault });
}

function addParity(metrics: Metrics, { transaction, lookAtParity, onFault }: DatabaseFigures): void {
  let after = 0n;
  let checked = 0;
  let checkedAt: number | null = null;
  let mismatched: bigint[] = [];
  let negative: NegativeRow = { accounts: 0, usd: 0 };
  let verdict: VerdictRow = { verified: null, head: null, broken: 0 };
  const looking = keepLooking(
    parityTimes,
    () =>
      transaction(async (queries) => {
        await queries.pool.query(statementSql);
        negative = (await queries.pool.query<NegativeRow>(negativeSql)).rows[0]!;
        verdict = (await queries.pool.query<VerdictRow>(verdictSql)).rows[0]!;
        const look = await lookAtParity(queries, { after, most: accountsALook, suspects: mismatched });
        if (look.mismatched.length > 0) onFault(new Error(`accounts ${look.mismatched.join(", ")}`), "the parity of the ledger");
        after = look.next;
        checked += look.checked;
        mismatched = look.mismatched;
        checkedAt = Date.now() / 1000;
      }),
    (error) => onFault(error, "looking at parity"),
  );
  metrics.addShared(looking.refresh, []);
  // Each process knows only its own findings; the process that answers shows the worst.
  const gauge = { type: "gauge", aggregator: "max" } as const;
  metrics.add({ name: "svc_ledger_mismatches", help: "Accounts whose balance differs from their entries or holds", ...gauge }, () => [
    { labels: {}, value: mismatched.length },
  ]);
  metrics.add({ name: "svc_negative_balances", help: "Accounts whose balance is below 0", ...gauge }, () => [
    { labels: {}, value: negative.accounts },
  ]);
  metrics.add({ name: "svc_negative_balances_usd", help: "What they owe together", ...gauge }, () => [{ labels: {}, value: negative.usd }]);
  metrics.add({ name: "svc_ledger_checked_timestamp_seconds", help: "When accounts were last checked", ...gauge }, () =>
    checkedAt === null ? [] : [{ labels: {}, value: checkedAt }],
  );
  const known = (value: number | null) => (value === null ? [] : [{ labels: {}, value }]);
  metrics.add({ name: "svc_ledger_verified_timestamp_seconds", help: "When the whole chain was last verified and held", ...gauge }, () =>
    known(verdict.verified),
  );
  metrics.add({ name: "svc_ledger_head", help: "Its head then: the first 13 hex digits, as a number", ...gauge }, () =>
    known(verdict.head),
  );
  metrics.add({ name: "svc_ledger_broken", help: "1: the last verify found a broken link", ...gauge }, () => known(verdict.broken));
  metrics.add({ name: "svc_ledger_accounts_checked_total", help: "Accounts that were checked", type: "counter" }, () => [
    { labels: {}, value: checked },
  ]);
}

interface NegativeRow {
  accounts: number;
  usd: number;
}

/**
 * Reads every balance, once a minute: 0.14 s for a million. An index, a partial one too, would be written by every call (docs/decisions/0001-balances.md).
 */
const negativeSql = "select negative_accounts::float8 as accounts, negative::float8 / 1e8 as usd from balance_totals()";

interface VerdictRow {
  verified: number | null;
  head: number | null;
  broken: number;
}

/** A hundred rows at most. 52 bits of a head are exact in a metric. */
const verdictSql = `
  select extract(epoch from held.at)::float8 as verified, ('x' || left(encode(held.head, 'hex'), 13))::bit(52)::bigint::float8 as head,
    coalesce((select (broken is not null)::int from ledger_verdict order by id desc limit 1), 0) as broken
  from (values (1)) one left join lateral (select at, head from ledger_verdict where head is not null order by id desc limit 1) held on true`;

const holdKinds = ["call", "media"];
const holdAges = ["10s", "1m", "10m", "1h", "older"];
const jobKinds = ["image", "video"];
const jobStates = ["queued", "pending", "processing"];

interface OutboxRow {
  waiting: number;
  /** Seconds. */
  oldest: number;
}

/** By two indexes that hold nothing else. */
const outboxSql = `
  select count(*)::float8 as waiting, coalesce(max(extract(epoch from now() - due)), 0)::float8 as oldest from (
    select due_at as due from notice_delivery where due_at is not null
    union all select created_at from notice where planned_at is null
  ) open`;

interface HoldRow {
  kind: string;
  age: string;
  holds: number;
  /** 1e-8 USD */
  units: number;
  /** Seconds. */
  oldest: number;
  overdue: number;
}

interface JobRow {
  kind: string;
  state: string;
  jobs: number;
  oldest: number;
}

/**
 * Reads as many rows as calls and jobs are open. A reservation's id holds its time (UUID version 7); it ends by itself when it is not
 * renewed, a media job 30 minutes after its start (src/jobs/parts.ts).
 */
const holdsSql = `
  select kind, case when seconds <= 10 then '10s' when seconds <= 60 then '1m' when seconds <= 600 then '10m' when seconds <= 3600 then '1h'
    else 'older' end as age, count(*)::float8 as holds, sum(amount)::float8 as units, max(seconds)::float8 as oldest, max(overdue)::float8 as overdue
  from (
    select 'call' as kind, amount, extract(epoch from now() - expires_at) as overdue,
      extract(epoch from now()) - ('x' || translate(left(id::text, 13), '-', ''))::bit(48)::bigint / 1000.0 as seconds from hold
    union all
    select 'media', estimated, extract(epoch from now() - started_at) - 1800, extract(epoch from now() - started_at)
    from media_job where status in ('queued', 'pending', 'processing') and started_at is not null
  ) open group by 1, 2`;

/** A pending job's age counts from the moment when it got its slot, without the time queued behind its own account's jobs. */
const jobsSql = `
  select kind, status as state, count(*)::float8 as jobs,
    max(extract(epoch from now() - case status when 'pending' then started_at else created_at end))::float8 as oldest
  from media_job where status in ('queued', 'pending', 'processing') group by 1, 2`;

// Polls something slow or unavailable for readers that must not wait: one query at a time, not too often, given up after a while.

interface Look {
  /** Starts a query where one is due and waits for it, at most `waitMs`. Never rejects. */
  refresh(): Promise<void>;
  /** Whether the last query that ended or timed out succeeded. */
  works(): boolean;
}

interface LookTimes {
  everyMs: number;
  waitMs: number;
}

function keepLooking({ everyMs, waitMs }: LookTimes, look: () => Promise<void>, onFault: (error: unknown) => void): Look {
  let running: Promise<void> | null = null;
  let begunAt = -Infinity;
  let worked = false;
  const begin = () => {
    begunAt = performance.now();
    const run: Promise<void> = look().then(
      () => void (worked = true),
      (error: unknown) => {
        worked = false;
        onFault(error);
      },
    );
    return run.finally(() => (running = null));
  };
  return {
    async refresh() {
      if (running === null && performance.now() - begunAt < everyMs) return;
      running ??= begin();
      const late = Promise.withResolvers<void>();
      const giveUp = () => {
        worked = false;
        late.resolve();
      };
      const timer = setTimeout(giveUp, Math.max(0, begunAt + waitMs - performance.now()));
      await Promise.race([running, late.promise]);
      clearTimeout(timer);
    },
    works: () => worked,
  };
}
