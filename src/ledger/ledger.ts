// Reserve before a call, settle after it, in two batched lanes (README.md beside this file). Knows no prices and
// no HTTP; what a request costs is decided by its flow.
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { plainArray } from "../db/array-text.ts";
import { LaneFull, type LaneGauge } from "../db/batcher.ts";
import type { Db } from "../db/connect.ts";
import { ensurePartitions } from "../db/partitions.ts";
import { refuseInDoubt } from "../db/standing.ts";
import { isDatabaseAway } from "../db/transient-error.ts";
import { fail } from "../errors/fail.ts";
import type { Amount } from "../money.ts";
import { createAccountLane, isAccountHeld } from "./account-batcher.ts";
import { type Beating, type GivenUp, keepBeating } from "./replica.ts";
import { type LedgerTimes, ledgerTimes } from "./times.ts";
import type { UsageLogRow } from "./usage-log.ts";

/** A place among the calls of its kind that run at once, e.g. speech, as part of audio. */
export interface Slot {
  pool: string;
  poolMax: number;
  group: string | null;
  groupMax: number | null;
}

interface ReserveRequest {
  accountId: bigint;
  /** Whose budget it also comes out of; null or absent: none. */
  keyId?: bigint | null;
  /** Absent: the call takes none. */
  slot?: Slot;
  /** Fixed for the request's life; settle names it again. */
  id: string;
  /** The upper bound of what the call may cost. */
  want: Amount;
  /** Less than this is no use: refuse. At most `want`. */
  least: Amount;
}

export interface Reserved {
  /** Between least and want; null: refused, nothing is held. */
  granted: Amount | null;
  /** What the account could spend before this request; the rest of its balance is held by others. */
  available: Amount;
  /** Held by other requests in flight. */
  reserved: Amount;
  /** Why nothing was granted. */
  refused: "slot" | "group" | "key" | "balance" | null;
  /** What the key could spend before this request; null: it has no limit of its own. */
  keyLeft: Amount | null;
}

interface Settlement {
  accountId: bigint;
  id: string;
  /** Its cost is what is charged; 0 gives the whole reservation back. */
  log: UsageLogRow;
}

export interface Ledger {
  reserve(request: ReserveRequest): Promise<Reserved>;
  /** A reservation becomes as large as `want`, in its slot, or stays as it was. */
  raise(request: Pick<ReserveRequest, "accountId" | "id" | "want">): Promise<Reserved>;
  /** Durable when it resolves. Returns the account's balance after the charge. */
  settle(settlement: Settlement): Promise<Amount>;
  /** Calls that hold a reservation and have not settled. */
  inFlight(): number;
  /** The database has confirmed a commit lately, or does so now. */
  commits(): Promise<boolean>;
  /** Since the last one. */
  commitAgeMs(): number;
  /** Settles what is queued, then stops beating; says of settlements that were given up whether they were made. */
  close(): Promise<void>;
}

/** More callers than this waiting for a reservation are told to come back: the queue would outlive their patience. */
const reserveWaitingMax = 20_000;
/** The first reservations of an outage were under way and may be made; those that follow never reach the database. Settlements are few: the calls in flight. */
const givenUpMax = 10_000;
/** A hold lives this long without renewal; live calls are renewed every 30 s (replica.ts). */
const holdLife = "2 minutes";

/** For /metrics. */
export interface LedgerWatch {
  reserving: LaneGauge;
  settling: LaneGauge;
  reserved(granted: Amount | null): void;
  /** Durable. */
  settled(log: UsageLogRow): void;
  /** Not charged, as far as is known. */
  unsettled(): void;
}

export async function openLedger(
  db: Db,
  onFault: (error: unknown, what: string) => void,
  watch?: LedgerWatch,
  times: LedgerTimes = ledgerTimes,
): Promise<Ledger> {
  const owner = randomUUID();
  const open = new Map<string, { accountId: bigint; since: number }>();
  /** Calls that may hold a reservation, or be charged, though nobody waits for them: the database did not answer. */
  const givenUp = new Map<string, GivenUp>();
  const giveUp = ({ accountId, id }: { accountId: bigint; id: string }, unheard: string | null) => {
    if (givenUp.size < givenUpMax || unheard !== null) givenUp.set(id, { accountId, since: performance.now(), unheard });
  };
  const beating: Beating = await keepBeating(db, owner, open, givenUp, onFault, times);

  const { reserving, settling } = openLanes(db, owner, times, watch);

  return {
    async reserve(request) {
      refuseInDoubt(db);
      try {
        const reserved = await reserving.run(request);
        watch?.reserved(reserved.granted);
        if (reserved.granted !== null) open.set(request.id, { accountId: request.accountId, since: performance.now() });
        return reserved;
      } catch (cause) {
        // Whatever it failed with last: an earlier try may have been made, and its answer lost.
        if (!(cause instanceof LaneFull)) giveUp(request, null);
        if (cause instanceof LaneFull || isDatabaseAway(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
        throw cause;
      }
    },
    raise: (request) => raise(db, request),
    async settle(settlement) {
      try {
        const balance = await settling.run(settlement);
        watch?.settled(settlement.log);
        return balance;
      } catch (cause) {
        // Made and, as far as anybody knows, not charged: the operator must be able to find it.
        const what = `settling ${settlement.log.cost} units of account ${settlement.accountId}, request ${settlement.log.request_id},`;
        onFault(cause, what);
        watch?.unsettled();
        giveUp(settlement, what);
        if (isDatabaseAway(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
        throw cause;
      } finally {
        open.delete(settlement.id);
      }
    },
    inFlight: () => open.size,
    commits: beating.commits,
    commitAgeMs: beating.commitAgeMs,
    async close() {
      await reserving.drained();
      await settling.drained();
      await nextTurn(); // whoever was failed last has given up by then
      await beating.stop();
    },
  };
}

async function raise(db: Db, { accountId, id, want }: Pick<ReserveRequest, "accountId" | "id" | "want">): Promise<Reserved> {
  refuseInDoubt(db);
  const sql = `select granted, available, reserved, refused, key_left as "keyLeft" from ledger_raise($1, $2, $3)`;
  try {
    const { rows } = await db.pool.query<Reserved>(sql, [accountId, id, want]);
    return rows[0]!;
  } catch (cause) {
    // May have been made all the same: its call's settlement ends the hold, however large.
    const hasEnded = (cause as { code?: string }).code === "P0002"; // this process was taken for dead
    if (isDatabaseAway(cause) || isAccountHeld(cause) || hasEnded) fail("overloaded", { cause });
    throw cause;
  }
}

function openLanes(db: Db, owner: string, times: LedgerTimes, watch: LedgerWatch | undefined) {
  const reserving = createAccountLane(db, {
    work: (items: readonly ReserveRequest[]) => reserveBatch(db, owner, items),
    waitingMax: reserveWaitingMax,
    patienceMs: times.reservePatienceMs,
    ...(watch && { gauge: watch.reserving }),
  });
  const settling = createAccountLane(db, {
    work: (items: readonly Settlement[]) => settleBatch(db, items),
    waitingMax: Infinity,
    patienceMs: times.settlePatienceMs,
    ...(watch && { gauge: watch.settling }),
  });
  return { reserving, settling };
}

type ReservedRow = Reserved & { n: number };

async function reserveBatch(db: Db, owner: string, items: readonly ReserveRequest[]): Promise<Reserved[]> {
  const { rows } = await db.pool.query<ReservedRow>(
    `select n, granted, available, reserved, refused, key_left as "keyLeft"
     from ledger_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      owner,
      plainArray(items.map((i) => i.accountId)),
      plainArray(items.map((i) => i.id)),
      plainArray(items.map((i) => i.want)),
      plainArray(items.map((i) => i.least)),
      plainArray(items.map((i) => i.keyId ?? null)),
      items.map((i) => i.slot?.pool ?? null),
      plainArray(items.map((i) => i.slot?.poolMax ?? null)),
      items.map((i) => i.slot?.group ?? null),
      plainArray(items.map((i) => i.slot?.groupMax ?? null)),
      holdLife,
    ],
  );
  const results: Reserved[] = items.map(() => ({ granted: null, available: 0n, reserved: 0n, refused: "balance", keyLeft: null })); // an unknown account has nothing
  for (const { n, ...reserved } of rows) results[n - 1] = reserved;
  return results;
}

/** A row whose month has no table is no reason to give an answer away. */
async function settleBatch(db: Db, items: readonly Settlement[]): Promise<Amount[]> {
  try {
    return await sendSettlements(db, items);
  } catch (error) {
    if (!isWithoutMonth(error)) throw error;
    await moveIntoMonths(db, items.map(({ log }) => log)); // prettier-ignore
    return sendSettlements(db, items);
  }
}

async function sendSettlements(db: Db, items: readonly Settlement[]): Promise<Amount[]> {
  const { rows } = await db.pool.query<{ account_id: bigint; balance: Amount }>(
    "select account_id, balance from ledger_settle($1, $2, $3)",
    [
      plainArray(items.map((i) => i.accountId)),
      plainArray(items.map((i) => i.id)),
      `[${items.map((i) => JSON.stringify(i.log)).join(",")}]`,
    ],
  );
  const balances = new Map(rows.map((row) => [row.account_id, row.balance]));
  return items.map((item) => balances.get(item.accountId) ?? 0n);
}

// The last resort of a charge whose row of the usage log belongs to a month that has no table: the months are made, and the row is moved to now.
// Times come from the database's clock (src/db/standing.ts), so that this is for a clock of the database that leapt, or months that somebody
// dropped. Not a default partition: with one, a month could neither be detached concurrently nor attached while somebody reads the log.

/** Postgres names the table and no constraint. */
function isWithoutMonth(error: unknown): boolean {
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string };
  return code === "23514" && table === "usage_log" && constraint === undefined;
}

/** Changes the rows: a batch that is repeated carries the same times. */
async function moveIntoMonths(db: Db, rows: readonly UsageLogRow[]): Promise<void> {
  await ensurePartitions(db);
  const times = [...new Set(rows.map((row) => row.created_at.getTime()))];
  const { rows: known } = await db.pool.query<{ time: number; now: Date; is_there: boolean }>(
    `select t.time, now() as now, exists (
       select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_log'::regclass
         and c.relname = 'usage_log' || to_char(to_timestamp(t.time / 1000) at time zone 'utc', '_YYYY_MM')) as is_there
     from unnest($1::float8[]) t(time)`,
    [times],
  );
  const moved = new Map(known.filter((one) => !one.is_there).map(({ time, now }) => [time, now]));
  for (const row of rows) row.created_at = moved.get(row.created_at.getTime()) ?? row.created_at;
}
