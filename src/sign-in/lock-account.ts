// One writer at a time for what belongs to an account's sign-in: its password, mails and keys. Every transaction of this room that
// changes them locks the account first, so that none waits for another in a circle.
import type { Queries } from "../db/connect.ts";

export interface LockedAccount {
  id: bigint;
  email: string;
  verified: boolean;
  suspended: boolean;
  passwordHash: string | null;
}

const columns = `a.id, a.email, a.email_verified_at is not null as verified, a.suspended_at is not null as suspended,
  a.password_hash as "passwordHash"`;

export async function lockAccount(transaction: Queries, accountId: bigint): Promise<LockedAccount> {
  const found = await lock(transaction, "a.id = $1", accountId);
  if (!found) throw new Error(`account ${accountId} is gone`);
  return found;
}

export async function lockAccountOf(transaction: Queries, email: string): Promise<LockedAccount | undefined> {
  return lock(transaction, "a.email_norm = lower($1)", email);
}

/** The balance as well: whoever changes keys or money takes that lock alone, and would otherwise meet this one half-way. */
async function lock(transaction: Queries, condition: string, value: unknown): Promise<LockedAccount | undefined> {
  const { rows } = await transaction.pool.query<LockedAccount>(
    `select ${columns} from account a join balance b on b.account_id = a.id where ${condition} for no key update`,
    [value],
  );
  return rows[0];
}

/** Without a lock, for a password that takes its time. */
export async function readAccountOf(db: Queries, email: string): Promise<LockedAccount | undefined> {
  const { rows } = await db.pool.query<LockedAccount>(`select ${columns} from account a where a.email_norm = lower($1)`, [email]);
  return rows[0];
}
