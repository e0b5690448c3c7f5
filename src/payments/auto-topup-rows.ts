// The rows of automatic top-ups. A charge begins and ends by a change of its account's row, in the transaction of its top-up.
import { randomUUID } from "node:crypto";
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import type { Topup } from "./topups.ts";
import type { Card, Charge, ChargeFailure } from "./types.ts";

export interface AutoTopupRow {
  enabled: boolean;
  threshold: Amount;
  amount: Amount;
  monthlyCap: Amount;
  consentVersion: string | null;
  consentAt: Date | null;
  /** UUID of the person. */
  consentBy: string | null;
  customerId: string | null;
  card: Card["shown"] | null;
  lastFailure: ChargeFailure | null;
  retryAt: Date | null;
  /** Of this month's automatic top-ups. */
  used: Amount;
}

/** What a workspace that chose nothing has: 5, 20 and 100 USD. */
export const chosenBefore = { threshold: 500_000_000n, amount: 2_000_000_000n, monthlyCap: 10_000_000_000n } as const;

/** In statements with the time as $1, and the account's row as `a`. */
const usedSql = `coalesce((select sum(t.amount) from topup t where t.account_id = a.account_id and t.automatic and t.status in ('pending', 'succeeded')
  and t.created_at >= date_trunc('month', $1::timestamptz at time zone 'UTC') at time zone 'UTC'), 0)::bigint`;

export async function readAutoTopup({ pool }: Queries, accountId: bigint, at: Date): Promise<AutoTopupRow | undefined> {
  const { rows } = await pool.query<AutoTopupRow>(
    `select a.enabled, a.threshold, a.amount, a.monthly_cap as "monthlyCap", a.consent_version as "consentVersion", a.consent_at as "consentAt",
       p.user_id as "consentBy", a.customer_id as "customerId", a.card, a.last_failure as "lastFailure", a.retry_at as "retryAt", ${usedSql} as used
     from auto_topup a left join account p on p.id = a.consent_by where a.account_id = $2`,
    [at, accountId],
  );
  return rows[0];
}

/** Creates the row if the account has none yet, and locks it until the transaction ends. */
export async function lockAutoTopup({ pool }: Queries, accountId: bigint): Promise<void> {
  const { threshold, amount, monthlyCap } = chosenBefore;
  const sql = `insert into auto_topup (account_id, threshold, amount, monthly_cap) values ($1, $2, $3, $4) on conflict do nothing`;
  await pool.query(sql, [accountId, threshold, amount, monthlyCap]);
  await pool.query("select from auto_topup where account_id = $1 for update", [accountId]);
}

interface Chosen extends Pick<AutoTopupRow, "enabled" | "threshold" | "amount" | "monthlyCap"> {
  accountId: bigint;
  /** Null: the last one stays. */
  consent: { version: string; at: Date; by: bigint } | null;
}

/** Turned on, it begins anew: earlier declines are forgotten. */
export async function setChosen({ pool }: Queries, chosen: Chosen): Promise<void> {
  const { accountId, enabled, threshold, amount, monthlyCap, consent } = chosen;
  await pool.query(
    `update auto_topup set enabled = $2, threshold = $3, amount = $4, monthly_cap = $5, consent_version = coalesce($6, consent_version),
       consent_at = coalesce($7, consent_at), consent_by = coalesce($8, consent_by),
       declines = case when $2 and not enabled then 0 else declines end, retry_at = case when $2 and enabled then retry_at end,
       last_failure = case when $2 and not enabled then null else last_failure end
     where account_id = $1`,
    [accountId, enabled, threshold, amount, monthlyCap, consent?.version ?? null, consent?.at ?? null, consent?.by ?? null],
  );
}

/** The card that it replaces is forgotten; of a deleted account, this one. */
export async function saveCard(transaction: Queries, accountId: bigint, { customerId, cardId, shown }: Card): Promise<void> {
  await lockAutoTopup(transaction, accountId);
  await transaction.pool.query(
    `update auto_topup t set customer_id = $2, card_id = case when a.deleted_at is null then $3 end, card = case when a.deleted_at is null then $4::jsonb end,
       forget_cards = array_remove(array_append(t.forget_cards, case when a.deleted_at is null then nullif(t.card_id, $3) else $3 end), null),
       declines = 0, retry_at = null, last_failure = null
     from account a where t.account_id = $1 and a.id = $1`,
    [accountId, customerId, cardId, JSON.stringify(shown)],
  );
}

/** Of a payment that was given back or disputed: what that takes off the balance must not be charged again at once. */
export async function turnOff({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("update auto_topup set enabled = false, retry_at = null where account_id = $1 and enabled", [accountId]);
}

export async function dropCard({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query(
    `update auto_topup set enabled = false, forget_cards = array_append(forget_cards, card_id), card_id = null, card = null, declines = 0,
       retry_at = null, last_failure = null
     where account_id = $1 and card_id is not null`,
    [accountId],
  );
}

/** A charge that is under way, with the card that was saved when it began. */
export interface Charging extends Charge {
  accountId: bigint;
  createdAt: Date;
  /** Whether the workspace still wants this card to be charged, under these terms, and its balance is still low. */
  isWanted: boolean;
}

/** `consents`: the parameter with versions of terms. One was agreed to, the balance is low, and the account is neither suspended nor deleted. */
const wantedSql = (consents: string) => `a.enabled and a.consent_version = any(${consents}::text[])
  and exists (select from balance b where b.account_id = a.account_id and b.available + b.reserved < a.threshold)
  and exists (select from account c where c.id = a.account_id and c.suspended_at is null and c.deleted_at is null)`;

/** In statements with the time as $1 and versions of terms as $3: nothing is under way, either, and the month's cap leaves room. */
const dueSql = `${wantedSql("$3")} and a.charging is null and (a.retry_at is null or a.retry_at <= $1)
  and a.amount + ${usedSql} <= a.monthly_cap`;

interface Due {
  at: Date;
  /** Versions of the terms that allow a charge. */
  consents: readonly string[];
}

export async function findDue({ pool }: Queries, { at, consents }: Due, most: number): Promise<bigint[]> {
  const sql = `select a.account_id as "accountId" from auto_topup a where ${dueSql} order by a.account_id limit $2`;
  return (await pool.query<{ accountId: bigint }>(sql, [at, most, consents])).rows.map(({ accountId }) => accountId);
}

const leaseSql = "clock_timestamp() + interval '60 seconds'";

/** Within a transaction. False: another process began one, or it is no longer due. */
export async function beginCharge({ pool }: Queries, accountId: bigint, { at, consents }: Due): Promise<boolean> {
  const locked = await pool.query("select from auto_topup where account_id = $1 for update skip locked", [accountId]);
  if (locked.rowCount === 0) return false;
  // A statement of its own: it sees what the last holder of the lock left.
  const { rows } = await pool.query<{ amount: Amount }>(`select a.amount from auto_topup a where a.account_id = $2 and ${dueSql}`, [
    at,
    accountId,
    consents,
  ]);
  if (rows[0] === undefined) return false;
  const id = randomUUID();
  await pool.query("insert into topup (id, account_id, amount, status, automatic, created_at) values ($1, $2, $3, 'pending', true, $4)", [
    id,
    accountId,
    rows[0].amount,
    at,
  ]);
  const sql = `update auto_topup set charging = $2, charge_card = card_id, charge_customer = customer_id, due_at = clock_timestamp() where account_id = $1`;
  await pool.query(sql, [accountId, id]);
  return true;
}

/** Charges whose lease is over, each for one process. `first`: no process has asked the provider before. */
export async function claimCharges(
  { pool }: Queries,
  { consents }: Pick<Due, "consents">,
  most: number,
): Promise<(Charging & { first: boolean })[]> {
  const { rows } = await pool.query<Charging & { first: boolean }>(
    `with due as materialized (
       select account_id from auto_topup where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked
     )
     update auto_topup a set due_at = ${leaseSql}, asked = true
     from due, auto_topup before, topup t
     where a.account_id = due.account_id and before.account_id = a.account_id and t.id = a.charging
     returning a.account_id as "accountId", t.id as "topupId", t.amount, t.created_at as "createdAt", a.charge_customer as "customerId",
       a.charge_card as "cardId", ${wantedSql("$2")} and a.card_id = a.charge_card as "isWanted", not before.asked as first`,
    [most, consents],
  );
  return rows;
}

/** Hours after the declines in a row; the next one turns it off. */
const pausesHours = [1, 6, 24];

/** In the transaction that ends its top-up. `failure` is null: the card was not asked. True: it is turned off by this failure. */
export async function endCharge(
  { pool }: Queries,
  { id, accountId }: Topup,
  { isPaid, failure, at }: { isPaid: boolean; failure: ChargeFailure | null; at: Date },
): Promise<boolean> {
  const ended = "charging = null, due_at = null, charge_card = null, charge_customer = null, asked = false";
  if (isPaid || failure === null) {
    const anew = isPaid ? ", declines = 0, retry_at = null, last_failure = null" : "";
    await pool.query(`update auto_topup set ${ended}${anew} where account_id = $1 and charging = $2`, [accountId, id]);
    return false;
  }
  const { rows } = await pool.query<{ off: boolean }>(
    `update auto_topup a set ${ended}, declines = a.declines + 1, last_failure = $3,
       enabled = a.enabled and $3 = 'declined' and a.declines < cardinality($5::int[]),
       retry_at = case when $3 = 'declined' then $4::timestamptz + make_interval(hours => ($5::int[])[a.declines + 1]) end
     from auto_topup before where before.account_id = a.account_id and a.account_id = $1 and a.charging = $2
     returning before.enabled and not a.enabled as off`,
    [accountId, id, failure, at, pausesHours],
  );
  return rows[0]?.off === true;
}

export async function findForgotten({ pool }: Queries, most: number): Promise<{ accountId: bigint; cardId: string }[]> {
  const { rows } = await pool.query<{ accountId: bigint; cardId: string }>(
    `select account_id as "accountId", forget_cards[1] as "cardId" from auto_topup where forget_cards <> '{}' order by random() limit $1`,
    [most],
  );
  return rows;
}

export async function markForgotten({ pool }: Queries, accountId: bigint, cardId: string): Promise<void> {
  await pool.query("update auto_topup set forget_cards = array_remove(forget_cards, $2) where account_id = $1", [accountId, cardId]);
}
