// What an operator does to accounts and keys. Money is src/ledger's, except that a new account's balance starts at zero.
import type { Db, Queries } from "../db/connect.ts";
import { digestOf, isKeyShaped, makeKey, maskedKey, parseMaskedKey } from "./keys.ts";

export interface NewAccount {
  accountId: bigint;
  /** Of its default key; shown now or never. */
  apiKey: string;
}

/** A key as listings show it (WIRE.md 15.3). */
export interface KeyRecord {
  id: string;
  object: "api_key";
  name: string;
  masked: string;
  enabled: boolean;
  is_default: boolean;
  created_at: string;
  last_used_at: string | null;
}

export interface AccountRecord {
  accountId: bigint;
  email: string;
  verified: boolean;
  suspended: boolean;
}

/** The operator asked for something that can't be done; the message is for them. */
export class Refused extends Error {}

const uniqueViolation = "23505";

export async function createAccount(
  db: Queries,
  { email, verified, at }: { email: string; verified: boolean; at: Date },
): Promise<NewAccount> {
  const key = makeKey();
  try {
    const { rows } = await db.pool.query<{ id: bigint }>(
      `with a as (insert into account (email, email_norm, email_verified_at, created_at) values ($1, lower($1), $2, $3) returning id),
       k as (insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at) select id, $4, $5, $6, 'Default', true, $3 from a)
       select id from a`,
      [email, verified ? at : null, at, key.hash, key.prefix, key.last4],
    );
    return { accountId: rows[0]!.id, apiKey: key.secret };
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) throw new Refused(`an account with the email ${email} exists already`);
    throw error;
  }
}

export async function findAccount(db: Db, accountId: bigint): Promise<AccountRecord | undefined> {
  const { rows } = await db.pool.query<AccountRecord>(
    `select id as "accountId", email, email_verified_at is not null as verified, suspended_at is not null as suspended from account where id = $1`,
    [accountId],
  );
  return rows[0];
}

/** Announced to every replica by a trigger. */
export async function setSuspended(db: Db, accountId: bigint, suspendedAt: Date | null): Promise<void> {
  await db.pool.query("update account set suspended_at = $2 where id = $1", [accountId, suspendedAt]);
}

export async function listKeys(db: Db, accountId: bigint): Promise<KeyRecord[]> {
  const { rows } = await db.pool.query<KeyRow>(
    `select id, name, prefix, last4, enabled, is_default, created_at, last_used_at from api_key
     where account_id = $1 and deleted_at is null order by created_at desc, id desc`,
    [accountId],
  );
  return rows.map(toRecord);
}

export async function createKey(db: Db, { accountId, name, at }: { accountId: bigint; name: string; at: Date }): Promise<string> {
  const key = makeKey();
  await db.pool.query("insert into api_key (account_id, hash, prefix, last4, name, created_at) values ($1, $2, $3, $4, $5, $6)", [
    accountId,
    key.hash,
    key.prefix,
    key.last4,
    name,
    at,
  ]);
  return key.secret;
}

/** `text`: the key itself, its masked form or its record's id. A disabled key stops working everywhere within a second. */
export async function setKeyEnabled(db: Db, text: string, enabled: boolean): Promise<KeyRecord> {
  const id = await findKeyId(db, text);
  const { rows } = await db.pool.query<KeyRow>(
    `update api_key set enabled = $2 where id = $1 and deleted_at is null
     returning id, name, prefix, last4, enabled, is_default, created_at, last_used_at`,
    [id, enabled],
  );
  if (!rows[0]) throw new Refused("no such API key");
  return toRecord(rows[0]);
}

interface KeyRow {
  id: bigint;
  name: string;
  prefix: string;
  last4: string;
  enabled: boolean;
  is_default: boolean;
  created_at: Date;
  last_used_at: Date | null;
}

function toRecord(row: KeyRow): KeyRecord {
  return {
    id: `key_${row.id}`,
    object: "api_key",
    name: row.name,
    masked: maskedKey(row),
    enabled: row.enabled,
    is_default: row.is_default,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}

async function findKeyId(db: Db, text: string): Promise<bigint> {
  const masked = parseMaskedKey(text);
  const record = /^key_([1-9]\d{0,17})$/.exec(text)?.[1];
  const [condition, values]: [string, unknown[]] = masked
    ? ["prefix = $1 and last4 = $2", [masked.prefix, masked.last4]]
    : record !== undefined
      ? ["id = $1", [BigInt(record)]]
      : ["hash = $1", [digestOf(text)]];
  if (!masked && record === undefined && !isKeyShaped(text))
    throw new Refused("not an API key: give the key, its masked form or its id (key_…)");
  const { rows } = await db.pool.query<{ id: bigint }>(`select id from api_key where ${condition} and deleted_at is null limit 2`, values);
  if (rows.length > 1) throw new Refused("several API keys look like that: give the key itself or its id (key_…)");
  if (!rows[0]) throw new Refused("no such API key");
  return rows[0].id;
}
