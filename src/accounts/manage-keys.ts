// Makes, changes and deletes an account's API keys, and chooses its default. Every change locks the account first, so that concurrent ones
// see each other's result and exactly one default remains.
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { keyIdText, parseKeyId } from "../ids.ts";
import { type BudgetChange, setBudget } from "./key-budgets.ts";
import { findDefaultKey, findKeyRecord, findKeys, type FoundKey, type KeyRecord } from "./key-records.ts";
import { makeKey } from "./keys.ts";
import { lockAccountRow } from "./users.ts";

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
  at: Date;
}

/** Absent fields stay as they are. */
interface KeyChange {
  enabled?: boolean | undefined;
  name?: string | undefined;
  budget?: BudgetChange;
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

export async function createKey(db: Db, key: KeyToMake): Promise<MadeKey> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, key.accountId);
    await assertRoom(transaction, key.accountId);
    return insertKey(transaction, key);
  });
}

/** `text` as in findKeys. Throws not_found, also for another account's key. */
export async function keyOf(db: Queries, accountId: bigint, text: string): Promise<FoundKey> {
  const [key, other] = await findKeys(db, text, accountId);
  if (other) failParameter("key", "two keys look like that: give the id (key_…)");
  return key ?? fail("not_found");
}

/** Every replica hears of it within a second. Undefined: the key has just been deleted. */
export async function changeKey(db: Db, key: FoundKey, { enabled, name, budget }: KeyChange): Promise<KeyRecord | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, key.accountId);
    const { pool } = transaction;
    // Two statements, since an update of `enabled` makes every replica drop the key from its cache.
    if (enabled !== undefined) await pool.query("update api_key set enabled = $2 where id = $1 and deleted_at is null", [key.id, enabled]);
    if (name !== undefined) await pool.query("update api_key set name = $2 where id = $1 and deleted_at is null", [key.id, name]);
    if (budget !== undefined) await setBudget(transaction, key.id, budget);
    return findKeyRecord(transaction, key.id);
  });
}

/** Undefined: the key was already deleted. */
export async function deleteKey(db: Db, key: FoundKey, at: Date): Promise<DeletedKey | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, key.accountId);
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
      const { secret, record } = await insertKey(transaction, { accountId: key.accountId, name: nameDefault, at });
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
    fail("permission_denied", { text: { reason: `an account has ${keysMax} keys at most: delete one first` } });
}

/** The key becomes the default if there is none. */
async function insertKey(db: Queries, { accountId, name, budget, at }: KeyToMake): Promise<MadeKey> {
  const { secret, hash, prefix, last4 } = makeKey();
  const { rows } = await db.pool.query<{ id: bigint }>(
    `insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at)
     values ($1, $2, $3, $4, $5, not exists (select 1 from api_key where account_id = $1 and is_default and deleted_at is null), $6)
     returning id`,
    [accountId, hash, prefix, last4, name, at],
  );
  const { id } = rows[0] as { id: bigint };
  if (budget !== undefined) await setBudget(db, id, budget);
  return { secret, record: (await findKeyRecord(db, id)) as KeyRecord };
}
