// Top-ups: their rows, of which every change of a status names the previous status; opened with a checkout at the payment provider, which
// is called between transactions, never inside one; and shown. What the provider reports of them is in events.ts.
import { randomUUID } from "node:crypto";
import { type Actor, lockAsPayer } from "../accounts/members.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { topupIdText } from "../ids.ts";
import { type Amount, amountFromUsd, cent, toUsd } from "../money.ts";
import { creditsPage, topupFields } from "../network/own-addresses.ts";
import type { Payer, Payments } from "./types.ts";

/** Calls that open a checkout, per account. */
export const topupsPerMinute = 10;
/** Top-ups of one account that wait for payment. */
const pendingMax = 20;
/** Of a page of the payment provider. Stripe takes 30 minutes to 24 hours. */
export const pageLifeMs = 60 * 60 * 1000;

interface TopupOrder extends Actor {
  amountUsd: number;
  returnUrl: string | undefined;
  at: Date;
}

export async function createTopup(context: Context, { accountId, personId, amountUsd, returnUrl, at }: TopupOrder): Promise<Topup> {
  const { db, limits, publicUrl } = context;
  const amount = wholeCents("amount_usd", amountUsd);
  assertAddress(returnUrl);
  const user = await findUser(db, accountId);
  if (user?.verified !== true) fail("email_unverified");
  await limits.assertWithin({ accountId, bucket: "top-up" }, topupsPerMinute);
  const payments = onlinePayments(context);
  const topup = await insertTopup(db, { id: randomUUID(), accountId, personId, amount, at, pendingMax });
  if (topup === undefined) fail("rate_limit_exceeded", { text: { limit: `${pendingMax} top-ups that wait for payment` } });
  const checkout = await openCheckout(context, payments, topup, returnUrl ?? creditsPage(publicUrl));
  return setCheckout(db, topup.id, checkout);
}

/** The contract bounds the amount; cards are charged in whole cents. */
export function wholeCents(name: string, usd: number): Amount {
  const amount = amountFromUsd(usd);
  if (amount !== undefined && amount % cent === 0n) return amount;
  return failParameter(name, "it must be in whole cents");
}

/** The contract has validated its prefix. */
export function assertAddress(returnUrl: string | undefined): void {
  if (returnUrl === undefined || (URL.canParse(returnUrl) && returnUrl.isWellFormed())) return;
  failParameter("return_url", "must be an https:// address");
}

async function openCheckout(context: Context, payments: Payments, topup: Topup, returnUrl: string): Promise<{ id: string; url: string }> {
  const expiresAt = new Date(topup.createdAt.getTime() + pageLifeMs);
  try {
    return await payments.openCheckout({ topupId: topup.id, amount: topup.amount, returnUrl, expiresAt });
  } catch (error) {
    context.log.error({ reason: (error as Error).message, topup: topupIdText(topup.id) }, "the payment provider did not open a checkout");
    await setStatus(context.db, { id: topup.id, from: "pending", to: "failed", at: context.clock() });
    return failPayment(context, "the payment provider refused or did not answer");
  }
}

/** Refuses where the operator takes none. */
export function onlinePayments(context: Pick<Context, "payments" | "publicUrl">): Payments {
  const { payments, publicUrl } = context;
  if (payments !== null) return payments;
  return failPayment(context, `this gateway takes no online payments; ${creditsPage(publicUrl)} says how credit is added`);
}

export function failPayment({ publicUrl }: Pick<Context, "publicUrl">, reason: string): never {
  return fail("payment_failed", { text: { reason }, extra: topupFields(publicUrl) });
}

/** The top-up as answers show it. */
export function topupRecord({ id, status, amount, paid, tax, taxCountry, taxId, checkoutUrl, createdAt, completedAt }: Topup) {
  return {
    id: topupIdText(id),
    object: "topup" as const,
    status,
    amount_usd: toUsd(amount),
    paid_usd: status === "succeeded" ? toUsd(paid ?? amount) : null,
    ...{ tax_usd: tax === null ? null : toUsd(tax), tax_country: taxCountry, tax_id: taxId },
    checkout_url: status === "pending" ? checkoutUrl : null,
    created_at: createdAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
  };
}

export type TopupStatus = "pending" | "succeeded" | "failed" | "expired";

export interface Topup {
  /** UUID. */
  id: string;
  accountId: bigint;
  amount: Amount;
  status: TopupStatus;
  checkoutUrl: string | null;
  /** What the payer paid, tax included; null: not paid, or exactly the amount. */
  paid: Amount | null;
  /** Within what was paid; null: nothing is known of it. */
  tax: Amount | null;
  taxCountry: string | null;
  taxId: string | null;
  /** Made by the gateway, which charges a saved card. */
  automatic: boolean;
  createdAt: Date;
  completedAt: Date | null;
}

const columns = `id, account_id as "accountId", amount, status, checkout_url as "checkoutUrl", paid, tax, tax_country as "taxCountry", tax_id as "taxId",
  automatic, created_at as "createdAt", completed_at as "completedAt"`;

/** A process that died before the provider answered leaves a row that can't be paid; it makes room after this. */
const abandonedAfter = "1 hour";
/** No checkout stays open this long. A top-up whose event never came makes room as well; a late payment is credited anyway. */
const overAfter = "2 days";

/** Undefined: the account has `pendingMax` of them that wait for payment. */
async function insertTopup(
  db: Db,
  { id, accountId, personId, amount, at, pendingMax }: Actor & { id: string; amount: Amount; at: Date; pendingMax: number },
): Promise<Topup | undefined> {
  return inTransaction(db, async (transaction) => {
    await lockAsPayer(transaction, { accountId, personId }); // one at a time, so that the count is exact
    const { pool } = transaction;
    await pool.query(
      `update topup set status = 'expired', completed_at = $2
       where account_id = $1 and status = 'pending' and not automatic
         and created_at < $2::timestamptz - case when checkout_id is null then $3 else $4 end::interval`,
      [accountId, at, abandonedAfter, overAfter],
    );
    const { rows } = await pool.query<Topup>(
      `insert into topup (id, account_id, amount, status, created_at) select $1, $2, $3, 'pending', $4
       where (select count(*) from topup where account_id = $2 and status = 'pending') < $5 returning ${columns}`,
      [id, accountId, amount, at, pendingMax],
    );
    return rows[0];
  });
}

/** Whatever the status: the payment may have come before the answer that opened its checkout. */
async function setCheckout(db: Queries, id: string, checkout: { id: string; url: string }): Promise<Topup> {
  const { rows } = await db.pool.query<Topup>(`update topup set checkout_id = $2, checkout_url = $3 where id = $1 returning ${columns}`, [
    id,
    checkout.id,
    checkout.url,
  ]);
  return rows[0] as Topup;
}

export async function findTopup(db: Queries, accountId: bigint, id: string): Promise<Topup | undefined> {
  const { rows } = await db.pool.query<Topup>(`select ${columns} from topup where account_id = $1 and id = $2`, [accountId, id]);
  return rows[0];
}

/** By its id, else by the provider's id of its payment. Until the transaction ends no other event can move it. */
export async function lockTopup(transaction: Queries, id: string | undefined, paymentId: string | null): Promise<Topup | undefined> {
  const { rows } = await transaction.pool.query<Topup>(
    `select ${columns} from topup where ${id === undefined ? "payment_id" : "id"} = $1 for update`,
    [id ?? paymentId],
  );
  return rows[0];
}

/** Without a payer nothing is known of tax. */
export async function setPayment(
  { pool }: Queries,
  id: string,
  { paymentId, paid, payer }: { paymentId: string | null; paid: { total: Amount; credit: Amount }; payer?: Payer | undefined },
): Promise<void> {
  const tax = payer === undefined && paid.total === paid.credit ? null : paid.total - paid.credit;
  await pool.query("update topup set payment_id = $2, paid = $3, tax = $4, tax_country = $5, tax_id = $6 where id = $1", [
    ...[id, paymentId, paid.total, tax],
    ...[payer?.country ?? null, payer?.taxId ?? null],
  ]);
}

export async function setStatus(
  db: Queries,
  { id, from, to, at }: { id: string; from: TopupStatus; to: TopupStatus; at: Date },
): Promise<void> {
  await db.pool.query("update topup set status = $3, completed_at = $4 where id = $1 and status = $2", [id, from, to, at]);
}
