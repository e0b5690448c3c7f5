// The user of an account, as sign-up and sign-in return it. Each account has one.
import type { Queries } from "../db/connect.ts";
import { fail, failNotPossible } from "../errors/fail.ts";
import { userIdText } from "../ids.ts";
import type { Amount } from "../money.ts";

export interface User {
  accountId: bigint;
  /** `usr_…` */
  id: string;
  email: string;
  verified: boolean;
  suspended: boolean;
  name: string | null;
  createdAt: Date;
  /** Money ever added; decides the tier where `assignedTier` doesn't. */
  purchased: Amount;
  assignedTier: number | null;
}

interface UserRow extends Omit<User, "id"> {
  userId: string;
}

export async function findUser(db: Queries, accountId: bigint): Promise<User | undefined> {
  const { rows } = await db.pool.query<UserRow>(
    `select a.id as "accountId", a.user_id as "userId", a.email, a.email_verified_at is not null as verified,
       a.suspended_at is not null as suspended, a.name, a.created_at as "createdAt", b.purchased, a.assigned_tier as "assignedTier"
     from account a join balance b on b.account_id = a.id where a.id = $1`,
    [accountId],
  );
  return rows[0] && { ...rows[0], id: userIdText(rows[0].userId) };
}

// Refuses a suspended account, however its user signs in.

export function failSuspended(): never {
  return fail("permission_denied", { text: { reason: "the account is suspended" } });
}

// Locks an account's row, so that changes to its keys or its top-ups that count or choose among them don't run at the same time.

/** Holds until the transaction ends. What waited until the account was deleted finds its session or key ended. */
export async function lockAccountRow({ pool }: Queries, accountId: bigint): Promise<{ isSuspended: boolean }> {
  const { rows } = await pool.query<{ isSuspended: boolean }>(
    `select suspended_at is not null as "isSuspended" from account where id = $1 and deleted_at is null for no key update`,
    [accountId],
  );
  return rows[0] ?? fail("invalid_api_key", { message: "The account is deleted." });
}

/** The same for what a caller of the account asks for: it may have been suspended since the request was authenticated. */
export async function lockForCaller(transaction: Queries, accountId: bigint): Promise<void> {
  if ((await lockAccountRow(transaction, accountId)).isSuspended) failSuspended();
}

interface Receiver {
  suspendedAt: Date | null;
  assignedTier: number | null;
}

/**
 * The same for what an operator gives to the account or changes of it. `toPerson`: what a shared workspace, which is an account without a person,
 * can't have. `toActive`: what its people can't have while it is suspended, either.
 */
export async function lockReceiver(
  { pool }: Queries,
  accountId: bigint,
  { toPerson, toActive = false }: { toPerson: boolean; toActive?: boolean },
): Promise<Receiver> {
  const { rows } = await pool.query<Receiver & { isDeleted: boolean; isShared: boolean }>(
    `select suspended_at as "suspendedAt", assigned_tier as "assignedTier", deleted_at is not null as "isDeleted", email_norm is null as "isShared"
     from account where id = $1 for no key update`,
    [accountId],
  );
  const { isDeleted, isShared, ...receiver } = rows[0]!;
  if (isDeleted) failNotPossible("the account is deleted");
  if (isShared && toPerson) failNotPossible("the account is a shared workspace, not a person's");
  if (toActive && receiver.suspendedAt !== null) failNotPossible("the account is suspended; resume it first");
  return receiver;
}
