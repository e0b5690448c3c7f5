// What becomes of an account's API keys: made, changed, deleted; which one is the default. Every change locks the account first,
// so that of several at once each sees what the one before it left, and exactly one default remains.
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { keyIdText, parseKeyId } from "../ids.ts";
import { type Amount, amountFromUsd } from "../money.ts";
import { findDefaultKey, findKeyRecord, findKeys, type FoundKey, type KeyRecord } from "./key-records.ts";
import { makeKey } from "./keys.ts";
import { lockAccountRow } from "./lock-row.ts";

interface MadeKey {
  /** Shown now or never. */
  secret: string;
  record: KeyRecord;
}

interface KeyToMake {
  accountId: bigint;
  name: string;
  /** What may be spent through it in all; null: as much as the account has. */
  limit?: Amount | null;
  at: Date;
}

/** What is left out stays as it is. */
interface KeyChange {
  enabled?: boolean | undefined;
  name?: string | undefined;
  limit?: Amount | null | undefined;
}

interface DeletedKey {
  id: string;
  /** What took the place of a deleted default; null: it was not the default. */
  newDefault: KeyRecord | null;
  /** Its secret, where it had to be made. */
  secret: string | null;
}

/** A listing of them is not paged. */
const keysMax = 500;
/** Name of a key that nobody named. */
const nameDefault = "Default";

export async function createKey(db: Db, key: KeyToMake): Promise<MadeKey> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, key.accountId);
    await assertRoom(transaction, key.accountId);
    return insertKey(transaction, key);
  });
}

/** `text` as in findKeys. Throws not_found, also where the key is another account's. */
export async function keyOf(db: Queries, accountId: bigint, text: string): Promise<FoundKey> {
  const [key, other] = await findKeys(db, text, accountId);
  if (other) failParameter("key", "two keys look like that: give the id (key_…)");
  return key ?? fail("not_found");
}

/** Heard by every replica within a second. Undefined: it has just been deleted. */
export async function changeKey(db: Db, key: FoundKey, { enabled, name, limit }: KeyChange): Promise<KeyRecord | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, key.accountId);
    const { pool } = transaction;
    // Two statements, since naming `enabled` makes every replica forget the key.
    if (enabled !== undefined) await pool.query("update api_key set enabled = $2 where id = $1 and deleted_at is null", [key.id, enabled]);
    if (name !== undefined) await pool.query("update api_key set name = $2 where id = $1 and deleted_at is null", [key.id, name]);
    if (limit !== undefined) await setLimit(transaction, key.id, limit);
    return findKeyRecord(transaction, key.id);
  });
}

/** Undefined: it was deleted before. */
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

/** All of an account whose row is locked. */
export async function deleteKeys(transaction: Queries, accountId: bigint, at: Date): Promise<void> {
  await lockKeys(transaction, accountId);
  await transaction.pool.query("update api_key set deleted_at = $2 where account_id = $1 and deleted_at is null", [accountId, at]);
}

/** The key that an account gets by itself when its address is verified. A default key of before becomes an ordinary one. The account is locked. */
export async function issueDefaultKey(transaction: Queries, { accountId, at }: { accountId: bigint; at: Date }): Promise<string> {
  await transaction.pool.query("update api_key set is_default = false where account_id = $1 and is_default and deleted_at is null", [
    accountId,
  ]);
  return (await insertKey(transaction, { accountId, name: nameDefault, at })).secret;
}

/** In the order in which their last use is written (key-use.ts), so that neither waits for the other half-way. */
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

/** Becomes the default where there is none. */
async function insertKey(db: Queries, { accountId, name, limit = null, at }: KeyToMake): Promise<MadeKey> {
  const { secret, hash, prefix, last4 } = makeKey();
  const { rows } = await db.pool.query<{ id: bigint }>(
    `insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at)
     values ($1, $2, $3, $4, $5, not exists (select 1 from api_key where account_id = $1 and is_default and deleted_at is null), $6)
     returning id`,
    [accountId, hash, prefix, last4, name, at],
  );
  const { id } = rows[0] as { id: bigint };
  if (limit !== null) await setLimit(db, id, limit);
  return { secret, record: (await findKeyRecord(db, id)) as KeyRecord };
}

/** Its row came with the key, by a trigger (open_key_budget). */
async function setLimit({ pool }: Queries, id: bigint, limit: Amount | null): Promise<void> {
  await pool.query("update key_budget set limit_amount = $2 where key_id = $1", [id, limit]);
}

// The budget of a key as a request gives it.

/** Null: as much as the account has; undefined: not named. A figure that the ledger can't hold exactly is refused, not rounded. */
export function readLimit(usd: number | null | undefined): Amount | null | undefined {
  if (usd == null) return usd;
  const limit = amountFromUsd(usd);
  if (limit !== undefined) return limit;
  return failParameter("limit_usd", "it may have 8 decimals at most");
}
