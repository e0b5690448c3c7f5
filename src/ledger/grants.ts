// Granted credit that expires: posted, shown, and taken back by a sweep. What was spent of it is counted in SQL (src/db/functions/count_grants.sql),
// when grants change and when they are read; calls know nothing of it.
import type { Db, Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

interface NewGrant {
  accountId: bigint;
  /** Of its entry, which is posted once. */
  id: string;
  amount: Amount;
  ref: string;
  at: Date;
  /** Null: it does not expire. */
  expiresAt: Date | null;
}

/** Within a transaction. Returns the entry's number and the balance after it. */
export async function postGrant(
  { pool }: Queries,
  { accountId, id, amount, ref, at, expiresAt }: NewGrant,
): Promise<{ seq: bigint; balance: Amount }> {
  await pool.query("select 1 from balance where account_id = $1 for no key update", [accountId]);
  await pool.query("select count_grants($1)", [accountId]);
  const { rows } = await pool.query<{ seq: bigint; balance: Amount }>(
    `insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, $2, $3, 'bonus', $4, $5)
     returning seq, balance_after as balance`,
    [accountId, at, id, amount, ref],
  );
  const posted = rows[0]!;
  if (expiresAt !== null) {
    await pool.query(
      `insert into credit_grant (account_id, id, seq, amount, expires_at, created_at, counted_seq) values ($1, $2, $3, $4, $5, $6, $3)`,
      [accountId, id, posted.seq, amount, expiresAt, at],
    );
  }
  return posted;
}

/** Before a transaction that posts a grant: counts without a lock that calls wait for, so that little is left to count under it. */
export async function countGrants({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("select count_grants($1)", [accountId]);
}

export interface Grant {
  seq: bigint;
  amount: Amount;
  spent: Amount;
  expired: Amount;
  left: Amount;
  createdAt: Date;
  expiresAt: Date;
  endedAt: Date | null;
}

/** Newest first; `before`: the number of an entry. */
export async function readGrants(db: Db, accountId: bigint, before: bigint | null, most: number): Promise<Grant[]> {
  await countGrants(db, accountId);
  const { rows } = await db.pool.query<Grant>(
    `select g.seq, g.amount, g.spent, g.expired, case when g.ended_at is null then grant_left(g) else 0 end as left, g.created_at as "createdAt",
       g.expires_at as "expiresAt", g.ended_at as "endedAt"
     from credit_grant g where g.account_id = $1 and ($2::bigint is null or g.seq < $2) order by g.seq desc limit $3`,
    [accountId, before, most],
  );
  return rows;
}

const everyMs = 60_000;
const batch = 500;

/** Any replica may do it at any time: what is taken back is decided under the lock of the balance. */
export function keepGrantsExpired(
  db: Db,
  { clock, onFault }: { clock: () => Date; onFault: (error: unknown, what: string) => void },
): { stop(): void } {
  const sweep = () => expireGrants(db, clock(), onFault).catch((error: unknown) => onFault(error, "finding expired credit"));
  const timer = setInterval(() => void sweep(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** One account's fault, such as a balance that is locked, holds up no other: it is due again in the next round. */
export async function expireGrants(db: Db, at: Date, onFault: (error: unknown, what: string) => void): Promise<void> {
  const { rows } = await db.pool.query<{ accountId: bigint; id: string }>(
    `select account_id as "accountId", id from credit_grant where ended_at is null and expires_at <= $1 order by expires_at, id limit ${batch}`,
    [at],
  );
  for (const { accountId, id } of rows) {
    try {
      await countGrants(db, accountId);
      await db.pool.query("select expire_grant($1, $2, $3)", [accountId, id, at]);
    } catch (error) {
      onFault(error, "taking back expired credit");
    }
  }
}
