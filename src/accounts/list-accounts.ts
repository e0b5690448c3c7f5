// Pages of accounts with their money, newest first, for the operator.
import type { Db } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import type { AccountRecord } from "./admin.ts";

export interface AccountFilter {
  /** Only accounts older than this one; null: from the newest. */
  before: bigint | null;
  /** A part of the email address, in any case; null: any. */
  email: string | null;
  /** Null: suspended or not. */
  suspended: boolean | null;
}

export interface ListedAccount extends AccountRecord {
  createdAt: Date;
  /** The sum of the entries. */
  balance: Amount;
  purchased: Amount;
  /** Charges of the last 30 days. */
  spentLately: Amount;
}

/** Limits the page before it computes the sums. */
export async function listAccounts(db: Db, { before, email, suspended }: AccountFilter, limit: number): Promise<ListedAccount[]> {
  const { rows } = await db.pool.query<ListedAccount>(
    `select a.id as "accountId", a.email, a.email_verified_at is not null as verified, a.suspended_at as "suspendedAt",
       a.created_at as "createdAt", b.available + b.reserved as balance, b.purchased, s.spent as "spentLately"
     from (
       select * from account
       where ($1::bigint is null or id < $1) and ($2::text is null or position(lower($2) in lower(email)) > 0)
         and ($3::boolean is null or (suspended_at is not null) = $3)
       order by id desc limit $4
     ) a
     join balance b on b.account_id = a.id
     cross join lateral (
       select coalesce(sum(l.cost), 0)::bigint as spent from usage_log l
       where l.account_id = a.id and l.created_at > now() - interval '30 days'
     ) s
     order by a.id desc`,
    [before, email, suspended, limit],
  );
  return rows;
}
