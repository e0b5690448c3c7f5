// API keys as their account and the operator see them, and which key a text means. Never the secret, which the database doesn't have.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { keyIdText, parseKeyId, userIdText } from "../ids.ts";
import { type Amount, toUsd } from "../money.ts";
import { policyColumns, type StoredPolicy } from "./key-policy.ts";
import { shownBudget, type StoredBudget } from "./key-budgets.ts";
import { digestOf, maskedKey, parseMaskedKey } from "./keys.ts";

export type KeyRecord = components["schemas"]["ApiKeyRecord"];

const columns = `k.id, k.name, k.prefix, k.last4, k.enabled, k.is_default, k.created_at, k.last_used_at,
  b.limit_amount, b.period, b.period_limit, b.spent, ${policyColumns}, case when k.old_until > clock_timestamp() then k.old_until end as old_until,
  (select user_id from account where id = k.created_by) as created_by`;
const tables = "api_key k join key_budget b on b.key_id = k.id";

/** The workspace's keys, or those that `createdBy` made: newest first, by id where two were made at the same time. `limit` null: all. */
export async function listKeys(
  db: Queries,
  accountId: bigint,
  createdBy: bigint | null = null,
  limit: number | null = null,
): Promise<KeyRecord[]> {
  const { rows } = await db.pool.query<KeyRow>(
    `select ${columns} from ${tables} where k.account_id = $1 and k.deleted_at is null
       and ($2::bigint is null or k.created_by = $2)
     order by k.created_at desc, k.id desc limit $3`,
    [accountId, createdBy, limit],
  );
  return rows.map(toRecord);
}

export async function findKeyRecord(db: Queries, keyId: bigint): Promise<KeyRecord | undefined> {
  const { rows } = await db.pool.query<KeyRow>(`select ${columns} from ${tables} where k.id = $1 and k.deleted_at is null`, [keyId]);
  return rows[0] && toRecord(rows[0]);
}

/** The enabled default, else the newest enabled key: a disabled default is skipped. Undefined: no key is enabled. */
export async function findDefaultKey(db: Queries, accountId: bigint): Promise<KeyRecord | undefined> {
  const { rows } = await db.pool.query<KeyRow>(
    `select ${columns} from ${tables} where k.account_id = $1 and k.deleted_at is null and k.enabled
     order by k.is_default desc, k.created_at desc, k.id desc limit 1`,
    [accountId],
  );
  return rows[0] && toRecord(rows[0]);
}

export interface FoundKey {
  id: bigint;
  accountId: bigint;
  /** The person who made it; null: it came with the account, or from the operator. */
  createdBy: bigint | null;
}

/**
 * The keys that `text` may mean, two at most: by a record's id, a masked form, else the key itself. Every text costs one indexed query, so that
 * a wrong key, a deleted one and another account's take the same time.
 */
export async function findKeys(db: Queries, text: string, accountId?: bigint): Promise<FoundKey[]> {
  const [condition, ...values] = meaningOf(text);
  const mine = accountId === undefined ? "" : `and account_id = $${values.length + 1}`;
  const { rows } = await db.pool.query<FoundKey>(
    `select id, account_id as "accountId", created_by as "createdBy" from api_key where ${condition} ${mine} and deleted_at is null limit 2`,
    accountId === undefined ? values : [...values, accountId],
  );
  return rows;
}

interface KeyFilter {
  /** A record's id or a masked form. Absent: any. */
  text?: string | undefined;
  /** UUID of the person who made them. Absent: anyone. */
  createdBy?: string | undefined;
  /** Null: of every account. */
  accountId: bigint | null;
}

/** For filters: the keys that match all of them, deleted ones included. Of every account all keys may be read, but for a record's id. */
export async function everyKeyLike(db: Queries, { text, createdBy, accountId }: KeyFilter): Promise<bigint[]> {
  const [condition, ...values] = text === undefined ? ["true"] : meaningOf(text);
  const mine = accountId === null ? "" : `and account_id = $${values.push(accountId)}`;
  const made = createdBy === undefined ? "" : `and created_by = (select id from account where user_id = $${values.push(createdBy)})`;
  const { rows } = await db.pool.query<{ id: bigint }>(`select id from api_key where ${condition} ${mine} ${made}`, values);
  return rows.map(({ id }) => id);
}

function meaningOf(text: string): [condition: string, ...values: unknown[]] {
  const masked = parseMaskedKey(text);
  if (masked !== undefined) return ["prefix = $1 and last4 = $2", masked.prefix, masked.last4];
  const id = parseKeyId(text);
  return id === undefined ? ["hash = $1", digestOf(text)] : ["id = $1", id];
}

interface KeyRow extends StoredBudget, StoredPolicy {
  id: bigint;
  name: string;
  prefix: string;
  last4: string;
  enabled: boolean;
  is_default: boolean;
  created_at: Date;
  last_used_at: Date | null;
  spent: Amount;
  old_until: Date | null;
  /** UUID of the person. */
  created_by: string | null;
}

function toRecord(row: KeyRow): KeyRecord {
  const { limit, resets, lifetime } = shownBudget(row);
  return {
    id: keyIdText(row.id),
    object: "api_key",
    name: row.name,
    masked: maskedKey(row),
    enabled: row.enabled,
    is_default: row.is_default,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by === null ? null : userIdText(row.created_by),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    usage_usd: toUsd(row.spent),
    limit_usd: usdOf(limit),
    limit_resets: resets,
    lifetime_limit_usd: usdOf(lifetime),
    expires_at: row.expires_at?.toISOString() ?? null,
    allowed_models: row.allowed_models,
    allowed_operations: row.allowed_operations,
    allowed_networks: row.allowed_networks,
    scopes: row.scopes ?? [],
    rpm: row.rpm,
    tpm: row.tpm,
    stream_usage: row.stream_usage,
    response_cache_seconds: row.response_cache_seconds,
    previous_secret_until: row.old_until?.toISOString() ?? null,
  };
}

const usdOf = (amount: Amount | null): number | null => (amount === null ? null : toUsd(amount));
