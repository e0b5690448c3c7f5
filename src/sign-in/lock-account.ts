// Locks an account for changes of its password, mails and keys. Every transaction of this room locks the account first, and makes it
// where there is none, so that no two wait for each other.
import type { Queries } from "../db/connect.ts";
import { foldEmail } from "../text/email-address.ts";

export interface LockedAccount {
  id: bigint;
  email: string;
  verified: boolean;
  suspended: boolean;
  passwordHash: string | null;
}

interface NewAccount {
  email: string;
  /** UUID. */
  userId: string;
  name: string | null;
  at: Date;
}

const columns = `a.id, a.email, a.email_verified_at is not null as verified, a.suspended_at is not null as suspended,
  a.password_hash as "passwordHash"`;

export async function lockAccount(transaction: Queries, accountId: bigint): Promise<LockedAccount> {
  const found = await lock(transaction, "a.id = $1", accountId);
  if (!found) throw new Error(`account ${accountId} is gone`);
  return found;
}

export async function lockAccountOf(transaction: Queries, email: string): Promise<LockedAccount | undefined> {
  await waitForAddress(transaction, email);
  return lock(transaction, "a.email_norm = $1", foldEmail(email));
}

/** When several requests find no account at the address, one makes it and the others wait. */
export async function lockOrMakeAccount(transaction: Queries, { email, userId, name, at }: NewAccount): Promise<LockedAccount> {
  await waitForAddress(transaction, email);
  await transaction.pool.query(
    `insert into account (email, email_norm, user_id, name, created_at) values ($1, $5, $2, $3, $4)
     on conflict (email_norm) do nothing`,
    [email, userId, name, at, foldEmail(email)],
  );
  const account = await lock(transaction, "a.email_norm = $1", foldEmail(email));
  if (account === undefined) throw new Error("an account that was just there is gone");
  return account;
}

/** One at a time, also where there is no row to lock yet. The lock ends with the transaction. */
export async function waitForOthers({ pool }: Queries, what: string): Promise<void> {
  await pool.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [what]);
}

/** Locks whether or not the address has an account: else the timing of a burst of requests would reveal it. */
async function waitForAddress(transaction: Queries, email: string): Promise<void> {
  await waitForOthers(transaction, `email ${foldEmail(email)}`);
}

/** Locks the balance too: changes of money take only that lock, changes of keys only the account's, so taking both avoids a deadlock. */
async function lock(transaction: Queries, condition: string, value: unknown): Promise<LockedAccount | undefined> {
  const { rows } = await transaction.pool.query<LockedAccount>(
    `select ${columns} from account a join balance b on b.account_id = a.id where ${condition} for no key update`,
    [value],
  );
  return rows[0];
}

/** Without a lock, since hashing a password takes long. */
export async function findAccountOf(db: Queries, email: string): Promise<LockedAccount | undefined> {
  const { rows } = await db.pool.query<LockedAccount>(`select ${columns} from account a where a.email_norm = $1`, [foldEmail(email)]);
  return rows[0];
}
