// Opens top-ups and shows them: a row, and a checkout at the payment provider, which is called between transactions, never inside one. What the
// provider reports of it is in events.ts.
import { randomUUID } from "node:crypto";
import { findUser } from "../accounts/users.ts";
import { creditsPage, topupFields } from "../network/own-addresses.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { type Amount, amountFromUsd, cent, toUsd } from "../money.ts";
import { topupIdText } from "../ids.ts";
import { insertTopup, setCheckout, setStatus, type Topup } from "./topup-rows.ts";
import type { Payments } from "./types.ts";

/** Calls that open a checkout, per account. */
export const topupsPerMinute = 10;
/** Top-ups of one account that wait for payment. */
const pendingMax = 20;
/** Of a page of the payment provider. Stripe takes 30 minutes to 24 hours. */
export const pageLifeMs = 60 * 60 * 1000;

interface TopupOrder {
  accountId: bigint;
  amountUsd: number;
  returnUrl: string | undefined;
  at: Date;
}

export async function createTopup(context: Context, { accountId, amountUsd, returnUrl, at }: TopupOrder): Promise<Topup> {
  const { db, limits, publicUrl } = context;
  const amount = wholeCents("amount_usd", amountUsd);
  assertAddress(returnUrl);
  const user = await findUser(db, accountId);
  if (user?.verified !== true) fail("email_unverified");
  await limits.assertWithin({ accountId, bucket: "top-up" }, topupsPerMinute);
  const payments = onlinePayments(context);
  const topup = await insertTopup(db, { id: randomUUID(), accountId, amount, at, pendingMax });
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
