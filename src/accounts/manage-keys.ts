// Makes, changes and deletes an account's API keys, and chooses its default. Every change locks the account first, so that concurrent ones
// see each other's result and exactly one default remains.
import { type Db, inTransactionOf, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { keyIdText, parseKeyId } from "../ids.ts";
import type { Caller } from "./caller.ts";
import { keysSeenBy, lockForChange, lockForNewKey } from "./key-access.ts";
import { type BudgetChange, setBudget } from "./key-budgets.ts";
import { type PolicyChange, setPolicy } from "./read-policy.ts";
import { findDefaultKey, findKeyRecord, findKeys, type FoundKey, type KeyRecord } from "./key-records.ts";
import { makeKey } from "./keys.ts";

interface MadeKey {
  /** Shown this once. */
  secret: string;
  record: KeyRecord;
}

interface KeyToMake {
  accountId: bigint;
  name: string;
  /** Absent: as much as the account has. */
  budget?: BudgetChange;
  /** Absent: whatever the account may. */
  policy?: PolicyChange;
  /** The person who makes it; null: it comes with the account. */
  createdBy?: bigint | null;
  at: Date;
}

/** Absent fields stay as they are. */
interface KeyChange {
  enabled?: boolean | undefined;
  name?: string | undefined;
  budget?: BudgetChange;
  policy?: PolicyChange;
}

interface DeletedKey {
  id: string;
  /** The key that replaces a deleted default; null: the deleted key was not the default. */
  newDefault: KeyRecord | null;
  /** Its secret, if it was newly made. */
  secret: string | null;
}

/** The list of keys has no pages. */
const keysMax = 500;
/** For a key without a name. */
const nameDefault = "Default";

export async function createKey(db: Db | Queries, key: KeyToMake): Promise<MadeKey> {
  return inTransactionOf(db, async (transaction) => {
    await lockForNewKey(transaction, key.accountId, key.createdBy ?? null);
    await assertRoom(transaction, key.accountId);
    return insertKey(transaction, key);
  });
}

/** `text` as in findKeys. Throws not_found, also for another account's key, and for another person's where the caller sees only own ones. */
export async function keyOf(db: Queries, caller: Pick<Caller, "accountId" | "keyId" | "session">, text: string): Promise<FoundKey> {
  const own = await keysSeenBy(db, caller);
  const found = await findKeys(db, text, caller.accountId);
  const [key, other] = own === null ? found : found.filter(({ createdBy }) => createdBy === own);
  if (other) failParameter("key", "two keys look like that: give the id (key_…)");
  return key ?? fail("not_found");
}

/** `by`: the person who changes it; null: the operator. Every replica hears of it within a second. Undefined: the key has just been deleted. */
export async function changeKey(
  db: Db | Queries,
  key: FoundKey,
  by: bigint | null,
  { enabled, name, budget, policy }: KeyChange,
): Promise<KeyRecord | undefined> {
  return inTransactionOf(db, async (transaction) => {
    await lockForChange(transaction, key, by);
    const { pool } = transaction;
    // Two statements, since an update of `enabled` makes every replica drop the key from its cache.
    if (enabled !== undefined) await pool.query("update api_key set enabled = $2 where id = $1 and deleted_at is null", [key.id, enabled]);
    if (name !== undefined) await pool.query("update api_key set name = $2 where id = $1 and deleted_at is null", [key.id, name]);
    if (budget !== undefined) await setBudget(transaction, key.id, budget);
    if (policy !== undefined) await setPolicy(transaction, key.id, policy);
    return findKeyRecord(transaction, key.id);
  });
}

/** Undefined: the key was already deleted. `by`: who deletes it, and so makes the key that replaces the last one; null: the operator. */
export async function deleteKey(db: Db | Queries, key: FoundKey, by: bigint | null, at: Date): Promise<DeletedKey | undefined> {
  return inTransactionOf(db, async (transaction) => {
    await lockForChange(transaction, key, by);
    await lockKeys(transaction, key.accountId);
    const { rows } = await transaction.pool.query<{ is_default: boolean }>(
      "update api_key set deleted_at = $2 where id = $1 and deleted_at is null returning is_default",
      [key.id, at],
    );
    if (!rows[0]) return undefined;
    const id = keyIdText(key.id);
    if (!rows[0].is_default) return { id, newDefault: null, secret: null };
    const next = await findDefaultKey(transaction, key.accountId);
    if (next === undefined) {
      const { secret, record } = await insertKey(transaction, { accountId: key.accountId, name: nameDefault, createdBy: by, at });
      return { id, newDefault: record, secret };
    }
    await transaction.pool.query("update api_key set is_default = true where id = $1", [parseKeyId(next.id)]);
    return { id, newDefault: { ...next, is_default: true }, secret: null };
  });
}

/** Deletes all keys of an account whose row is locked. */
export async function deleteKeys(transaction: Queries, accountId: bigint, at: Date): Promise<void> {
  await lockKeys(transaction, accountId);
  await transaction.pool.query("update api_key set deleted_at = $2 where account_id = $1 and deleted_at is null", [accountId, at]);
}

/**
 * Disables the keys of an account, whose row is locked, whose secrets a person has seen by making or rolling them, and ends the secrets of before
 * that the person saw. Returns how many were disabled. Every replica hears of it.
 */
export async function disableKeysOf(transaction: Queries, accountId: bigint, personId: bigint): Promise<number> {
  await lockKeys(transaction, accountId);
  const { pool } = transaction;
  const values = [accountId, personId];
  await pool.query(
    `update api_key set old_hash = null, old_until = null, old_seen_by = null
     where account_id = $1 and old_seen_by = $2 and old_hash is not null and deleted_at is null`,
    values,
  );
  const { rowCount } = await pool.query(
    "update api_key set enabled = false where account_id = $1 and (created_by = $2 or rolled_by = $2) and enabled and deleted_at is null",
    values,
  );
  return rowCount ?? 0;
}

/** Makes the key that a verified account gets by itself. A former default becomes an ordinary key. The account's row is locked. */
export async function issueDefaultKey(transaction: Queries, { accountId, at }: { accountId: bigint; at: Date }): Promise<string> {
  await transaction.pool.query("update api_key set is_default = false where account_id = $1 and is_default and deleted_at is null", [
    accountId,
  ]);
  return (await insertKey(transaction, { accountId, name: nameDefault, at })).secret;
}

/** In the order in which src/accounts/accounts.ts writes their last use, so that the two can't deadlock. */
async function lockKeys({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("select 1 from api_key where account_id = $1 order by id for no key update", [accountId]);
}

async function assertRoom({ pool }: Queries, accountId: bigint): Promise<void> {
  const { rows } = await pool.query<{ keys: number }>(
    "select count(*)::int as keys from api_key where account_id = $1 and deleted_at is null",
    [accountId],
  );
  if ((rows[0]?.keys ?? 0) >= keysMax)
    fail("permission_denied", { text: { reason: `an account can have at most ${keysMax} keys: delete one first` } });
}

/** The key becomes the default if there is none. */
async function insertKey(db: Queries, { accountId, name, budget, policy, createdBy = null, at }: KeyToMake): Promise<MadeKey> {
  const { secret, hash, prefix, last4 } = makeKey();
  const { rows } = await db.pool.query<{ id: bigint }>(
    `insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at, created_by)
     values ($1, $2, $3, $4, $5, not exists (select 1 from api_key where account_id = $1 and is_default and deleted_at is null), $6, $7)
     returning id`,
    [accountId, hash, prefix, last4, name, at, createdBy],
  );
  const { id } = rows[0] as { id: bigint };
  if (budget !== undefined) await setBudget(db, id, budget);
  if (policy !== undefined) await setPolicy(db, id, policy);
  return { secret, record: (await findKeyRecord(db, id)) as KeyRecord };
}

interface Roll {
  /** The person who sees the new secret; null: the operator. */
  by: bigint | null;
  graceSeconds: number;
}

/** A new secret for the same key; the one before works until `grace` is over, and any older one ends now. Undefined: the key has just been deleted. */
export async function rollKey(db: Db | Queries, key: FoundKey, { by, graceSeconds }: Roll): Promise<MadeKey | undefined> {
  const { secret, hash, prefix, last4 } = makeKey();
  return inTransactionOf(db, async (transaction) => {
    await lockForChange(transaction, key, by);
    await transaction.pool.query(
      `update api_key set hash = $2, prefix = $3, last4 = $4, old_hash = case when $5::int > 0 then hash end,
         old_until = case when $5::int > 0 then clock_timestamp() + make_interval(secs => $5::int) end,
         old_seen_by = case when $5::int > 0 then coalesce(rolled_by, created_by) end, rolled_by = $6
       where id = $1 and deleted_at is null`,
      [key.id, hash, prefix, last4, graceSeconds, by],
    );
    const record = await findKeyRecord(transaction, key.id);
    return record && { secret, record };
  });
}
