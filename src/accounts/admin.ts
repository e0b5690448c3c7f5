// What an operator does to accounts and keys, and lists of them. Money is in src/ledger, except that a new account's balance starts at zero.
import type { Db, Queries } from "../db/connect.ts";
import { parseAccountId } from "../ids.ts";
import type { Amount } from "../money.ts";
import { foldEmail } from "../text/email-address.ts";
import { findKeys, type FoundKey, type KeyRecord } from "./key-records.ts";
import { makeKey } from "./keys.ts";
import { changeKey } from "./manage-keys.ts";

interface NewAccount {
  accountId: bigint;
  /** The account's default key, shown this once. */
  apiKey: string;
}

export interface AccountRecord {
  accountId: bigint;
  email: string;
  verified: boolean;
  /** Null: the account is not suspended. */
  suspendedAt: Date | null;
}

/** The operator asked for something that can't be done; the message is for the operator. */
export class Refused extends Error {}

const uniqueViolation = "23505";

export async function createAccount(
  db: Queries,
  { email, verified, at }: { email: string; verified: boolean; at: Date },
): Promise<NewAccount> {
  const key = makeKey();
  try {
    const { rows } = await db.pool.query<{ id: bigint }>(
      `with a as (insert into account (email, email_norm, email_verified_at, created_at) values ($1, $7, $2, $3) returning id),
       k as (insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at) select id, $4, $5, $6, 'Default', true, $3 from a)
       select id from a`,
      [email, verified ? at : null, at, key.hash, key.prefix, key.last4, foldEmail(email)],
    );
    return { accountId: rows[0]!.id, apiKey: key.secret };
  } catch (error) {
    if ((error as { code?: string }).code === uniqueViolation) throw new Refused(`an account with the email ${email} exists already`);
    throw error;
  }
}

/** `text`: the account's id, or its email address. */
export async function findAccount(db: Db, text: string): Promise<AccountRecord | undefined> {
  const id = parseAccountId(text);
  const { rows } = await db.pool.query<AccountRecord>(
    `select id as "accountId", email, email_verified_at is not null as verified, suspended_at as "suspendedAt" from account
     where ${id === undefined ? "email_norm = $1" : "id = $1"}`,
    [id ?? foldEmail(text)],
  );
  return rows[0];
}

export function statusOf({ suspendedAt }: Pick<AccountRecord, "suspendedAt">): "active" | "suspended" {
  return suspendedAt === null ? "active" : "suspended";
}

/** A trigger notifies every replica. */
export async function setSuspended(db: Queries, accountId: bigint, suspendedAt: Date | null): Promise<void> {
  await db.pool.query("update account set suspended_at = $2 where id = $1", [accountId, suspendedAt]);
}

/** `text`: the key itself, its masked form or its record's id, of any account. */
export async function findKey(db: Queries, text: string): Promise<FoundKey> {
  const [key, other] = await findKeys(db, text);
  if (other) throw new Refused("several API keys look like that: give the key itself or its id (key_…)");
  return key ?? refuseKey();
}

/** A disabled key stops working everywhere within a second. */
export async function setKeyEnabled(db: Db | Queries, text: string, enabled: boolean): Promise<KeyRecord> {
  return (await changeKey(db, await findKey(db, text), null, { enabled })) ?? refuseKey();
}

export function refuseKey(): never {
  throw new Refused("no such API key: give the key, its masked form or its id (key_…)");
}

// Pages of accounts with their money, newest first, for the operator.

export interface AccountFilter {
  /** Only accounts older than this one; null: from the newest. */
  before: bigint | null;
  /** Only this account; absent or null: any. */
  accountId?: bigint | null;
  /** A part of the email address, in any case; null: any. */
  email: string | null;
  /** Null: suspended or not. */
  suspended: boolean | null;
}

export interface ListedAccount extends AccountRecord {
  workspaceName: string | null;
  createdAt: Date;
  /** The sum of the entries. */
  balance: Amount;
  purchased: Amount;
  assignedTier: number | null;
}

/** As the index account_email_parts has them: the one to three characters at each place. */
const partsOfEmail = String.raw`array_to_tsvector(array_remove(string_to_array(
  regexp_replace(lower(email collate "C"), '(...)', '\1 ', 'g') || ' ' || regexp_replace(substr(lower(email collate "C"), 2), '(...)', '\1 ', 'g') || ' '
    || regexp_replace(substr(lower(email collate "C"), 3), '(...)', '\1 ', 'g'), ' '), ''))`;

/** What the index has of each address with this text in it, as a tsquery; null: nothing, as of letters that are not ASCII's. */
function partsOf(text: string): string | null {
  const runs = text.toLowerCase().match(/[!-~]+/g) ?? [];
  const quoted = (part: string) => `'${part.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
  const threes = (run: string) => Array.from({ length: run.length - 2 }, (_, at) => quoted(run.slice(at, at + 3)));
  const found = runs.flatMap((run) => (run.length < 3 ? [`${quoted(run)}:*`] : threes(run)));
  return found.length === 0 ? null : found.join(" & ");
}

const matches = `($1::bigint is null or id < $1) and ($2::text is null or position(lower($2) in lower(email)) > 0)
  and ($3::boolean is null or (suspended_at is not null) = $3) and ($4::bigint is null or id = $4)`;
const valuesOf = ({ before, email, suspended, accountId = null }: AccountFilter) => [before, email, suspended, accountId];

export async function listAccounts(db: Db, filter: AccountFilter, limit: number): Promise<ListedAccount[]> {
  const parts = filter.email === null ? null : partsOf(filter.email);
  const ids = parts === null ? null : await findByParts(db, filter, { limit, parts });
  if (ids?.length === 0) return [];
  const { rows } = await db.pool.query<ListedAccount>(
    `select a.id as "accountId", a.email, a.workspace_name as "workspaceName", a.email_verified_at is not null as verified, a.suspended_at as "suspendedAt",
       a.created_at as "createdAt", b.available + b.reserved as balance, b.purchased, a.assigned_tier as "assignedTier"
     from (select * from account where ${matches} and ($6::bigint[] is null or id = any($6)) order by id desc limit $5) a
     join balance b on b.account_id = a.id
     order by a.id desc`,
    [...valuesOf(filter), limit, ids],
  );
  return rows;
}

/** For each that a page may have, so many of the newest ids are looked through before the index is asked. */
const walkedForEach = 100;

/** Text that many addresses have is found among the newest ones: the index would give all that have it, in no order. */
async function findByParts({ pool }: Db, filter: AccountFilter, { limit, parts }: { limit: number; parts: string }): Promise<bigint[]> {
  const begin = "coalesce($1::bigint, (select max(id) + 1 from account))";
  const newest = await pool.query<{ id: bigint }>(
    `select id from account where ${matches} and id >= ${begin} - $6 order by id desc limit $5`,
    [...valuesOf(filter), limit, limit * walkedForEach],
  );
  // Materialized: with the limit the planner would walk all accounts for what it takes for frequent.
  const { rows } =
    newest.rows.length === limit
      ? newest
      : await pool.query<{ id: bigint }>(
          `with found as materialized (select id from account where ${matches} and ${partsOfEmail} @@ $6::tsquery)
           select id from found order by id desc limit $5`,
          [...valuesOf(filter), limit, parts],
        );
  return rows.map(({ id }) => id);
}
