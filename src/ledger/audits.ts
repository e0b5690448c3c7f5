// Audits of the ledger in the background: one at a time over all processes, on a connection of its own, with its result in the database. A process
// that ends meanwhile ends its audit; one that is killed leaves a row that counts as failed once it is not renewed. And the ledger's present state.
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { keepDoing } from "../concurrency/keep-doing.ts";
import { connect, type Db, type Queries } from "../db/connect.ts";
import { type Audit, audit } from "./audit.ts";
import { type ChainVerdict, recordVerdict, verifyChain } from "./verify.ts";

type AuditStatus = "running" | "agrees" | "differs" | "failed";

export interface FoundByAudit {
  balances: Audit;
  chain: ChainVerdict;
}

export interface AuditRow {
  id: bigint;
  status: AuditStatus;
  startedAt: Date;
  startedBy: string;
  endedAt: Date | null;
  result: FoundByAudit | null;
}

export interface LedgerAudits {
  /** In the caller's transaction; null: one is running. It begins with `run`. */
  begin(transaction: Queries, by: string): Promise<AuditRow | null>;
  /** After the commit. Returns at once. */
  run(id: bigint): void;
  close(): Promise<void>;
}

interface Parts {
  db: Db;
  /** Of Postgres itself: the connection has settings of its own. */
  url: string;
  onFault: (error: unknown, what: string) => void;
}

/** Tens of millions of entries take minutes. */
const statementTimeoutMs = 30 * 60_000;
const wholeTimeoutMs = 60 * 60_000;
const renewMs = 10_000;
const closePauseMs = 100;
const aliveFor = "60 seconds";
const keptRows = 100;

export function openLedgerAudits({ db, url, onFault }: Parts): LedgerAudits {
  let running: { done: Promise<void>; stop: () => Promise<void> } | null = null;

  const work = async (id: bigint, own: Db): Promise<void> => {
    const renewal = setInterval(() => {
      renew(db, id).catch((error: unknown) => onFault(error, "renewing an audit of the ledger"));
    }, renewMs).unref();
    try {
      const found = { balances: await audit(own), chain: await verifyChain(own) };
      await recordVerdict(db, found.chain);
      const isSound = found.balances.mismatches.length === 0 && found.chain.broken === null;
      await end(db, id, isSound ? "agrees" : "differs", found);
    } catch (error) {
      onFault(error, "an audit of the ledger");
      await end(db, id, "failed", null);
    } finally {
      clearInterval(renewal);
      await own.close();
    }
  };

  return {
    async begin({ pool }, by) {
      await pool.query("update ledger_audit set status = 'failed', ended_at = now() where status = 'running' and alive_until < now()");
      await pool.query(`delete from ledger_audit where status <> 'running' and id < (select max(id) from ledger_audit) - ${keptRows}`);
      const { rows } = await pool.query<AuditRow>(
        `insert into ledger_audit (started_at, started_by, status, alive_until) values (now(), $1, 'running', now() + $2::interval)
         on conflict ((true)) where status = 'running' do nothing returning ${columns}`,
        [by, aliveFor],
      );
      return rows[0] ?? null;
    },
    run(id) {
      const applicationName = `svc-audit-${randomUUID()}`;
      const own = connect(url, { max: 1, applicationName, statementTimeoutMs });
      const stop = async () => {
        await db.pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [applicationName]);
      };
      const timer = setTimeout(
        () => void stop().catch((error: unknown) => onFault(error, "ending an audit of the ledger")),
        wholeTimeoutMs,
      );
      const done = work(id, own)
        .catch((error: unknown) => onFault(error, "ending an audit of the ledger"))
        .finally(() => {
          clearTimeout(timer);
          running = null;
        });
      timer.unref();
      running = { done, stop };
    },
    async close() {
      // Again until it has ended: Postgres doesn't know a connection that is only being opened.
      while (running !== null) {
        await running.stop().catch((error: unknown) => onFault(error, "ending an audit of the ledger"));
        await Promise.race([running?.done, delay(closePauseMs)]);
      }
    },
  };
}

const columns = `id, status, started_at as "startedAt", started_by as "startedBy", ended_at as "endedAt", result`;

async function renew({ pool }: Queries, id: bigint): Promise<void> {
  await pool.query("update ledger_audit set alive_until = now() + $2::interval where id = $1 and status = 'running'", [id, aliveFor]);
}

async function end({ pool }: Queries, id: bigint, status: AuditStatus, found: FoundByAudit | null): Promise<void> {
  await pool.query("update ledger_audit set status = $2, ended_at = now(), result = $3::jsonb where id = $1 and status = 'running'", [
    id,
    status,
    found === null ? null : JSON.stringify(found),
  ]);
}

/** The newest, and the newest with a result. One whose process is gone is shown as failed. */
export async function readAudits({ pool }: Queries): Promise<{ newest: AuditRow | null; found: AuditRow | null }> {
  const shown = columns.replace("status", "case when status = 'running' and alive_until < now() then 'failed' else status end as status");
  const read = async (where: string) =>
    (await pool.query<AuditRow>(`select ${shown} from ledger_audit where ${where} order by id desc limit 1`)).rows[0] ?? null;
  return { newest: await read("true"), found: await read("result is not null") };
}

interface LedgerState {
  /** Since when the balances may have changed: of many accounts they are added up once a minute. */
  asOf: Date;
  accounts: bigint;
  balance: bigint;
  negative: bigint;
  below: bigint;
  holds: bigint;
  held: bigint;
  oldestHold: Date | null;
  jobs: bigint;
  heldByJobs: bigint;
  oldestJob: Date | null;
}

/** The id of a call tells its time; those of processes' own holds don't. */
export async function readLedgerState({ pool }: Queries): Promise<LedgerState> {
  const { rows } = await pool.query<LedgerState>(`
    select b.as_of as "asOf", b.accounts, b.balance, b.negative_accounts as negative, b.negative as below, h.*, j.* from balance_totals() b, (
      select count(*) as holds, coalesce(sum(amount), 0)::bigint as held,
        to_timestamp(min(case when substr(id::text, 15, 1) = '7'
          then ('x' || substr(id::text, 1, 8) || substr(id::text, 10, 4))::bit(48)::bigint end) / 1000.0) as "oldestHold"
      from hold
    ) h, (
      select count(*) as jobs, coalesce(sum(estimated), 0)::bigint as "heldByJobs", min(started_at) as "oldestJob"
      from media_job where status in ('pending', 'processing') and estimated > 0
    ) j`);
  return rows[0]!;
}

/** So many balances are added up while the reader waits. */
const fewAccounts = 20_000;
const addedUpEveryMs = 60_000;

/** Of more accounts, and by one of all processes. */
export async function addUpBalances({ pool }: Queries, { few = fewAccounts } = {}): Promise<void> {
  await pool.query("select balances_add_up($1)", [few]);
}

export function keepAddedUp(db: Db, onFault: (error: unknown, what: string) => void) {
  return keepDoing(addedUpEveryMs, () => addUpBalances(db).catch((error: unknown) => onFault(error, "adding up all balances")));
}
