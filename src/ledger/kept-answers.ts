// The table of answers that are kept for repeats of their request (src/language/response-cache.ts): found, kept, purged, swept.
import type { Clock } from "../clock.ts";
import { keepDoing } from "../concurrency/keep-doing.ts";
import type { Queries } from "../db/connect.ts";
import { keptOfAccountMax } from "./idempotency.ts";

export interface KeptRow {
  accountId: bigint;
  /** SHA-256 of account, model and request. */
  hash: Buffer;
}

export async function findKept(
  { pool }: Queries,
  { accountId, hash }: KeptRow,
  at: Date,
): Promise<{ answer: Buffer; created_at: Date } | null> {
  const { rows } = await pool.query<{ answer: Buffer; created_at: Date }>(
    "select answer, created_at from kept_answer where account_id = $1 and hash = $2 and expires_at > $3",
    [accountId, hash, at],
  );
  return rows[0] ?? null;
}

/** In place of the one that was there. */
export async function keep({ pool }: Queries, { accountId, hash }: KeptRow, answer: Buffer, at: Date, seconds: number): Promise<void> {
  await pool.query(
    `insert into kept_answer (account_id, hash, answer, created_at, expires_at) values ($1, $2, $3, $4, $5)
     on conflict (account_id, hash) do update
       set answer = excluded.answer, created_at = excluded.created_at, expires_at = excluded.expires_at`,
    [accountId, hash, answer, at, new Date(at.getTime() + seconds * 1000)],
  );
}

/** Returns how many there were. */
export async function purgeKept({ pool }: Queries, accountId: bigint): Promise<number> {
  return (await pool.query("delete from kept_answer where account_id = $1", [accountId])).rowCount ?? 0;
}

const sweepEveryMs = 60_000;

export function keepAnswersSwept(db: Queries, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }) {
  return keepDoing(sweepEveryMs, () => sweepKept(db, clock()).catch((error: unknown) => onFault(error, "deleting old kept answers")));
}

/** Rows a statement, so that none holds its locks for long. */
const batch = 1_000;

/** Deletes what has expired, and the oldest answers of accounts that keep too much. */
export async function sweepKept({ pool }: Queries, at: Date): Promise<void> {
  const expired = `select account_id, hash from kept_answer where expires_at <= $1 limit ${batch}`;
  const tooMany = `select account_id, hash from (
      select account_id, hash, sum(bytes) over (partition by account_id order by created_at desc) as kept from kept_answer
    ) s where kept > $1 limit ${batch}`;
  for (const [rows, value] of [[expired, at] as const, [tooMany, keptOfAccountMax] as const]) {
    const some = async () => (await pool.query(`delete from kept_answer where (account_id, hash) in (${rows})`, [value])).rowCount;
    while ((await some()) === batch);
  }
}
