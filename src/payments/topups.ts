// The lifecycle of a top-up: a row, a checkout at the payment provider, and the events that report its outcome. Money moves only in
// takeEvent. The provider is called between transactions, never inside one.
import { randomUUID } from "node:crypto";
import { findUser } from "../accounts/users.ts";
import { creditsPage, topupFields } from "../network/own-addresses.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { refuseInDoubt } from "../db/standing.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { postEntry } from "../ledger/post.ts";
import { type Amount, amountFromUsd, cent, toUsd } from "../money.ts";
import { topupIdText } from "./topup-id.ts";
import { insertTopup, lockTopup, recordEvent, setCheckout, setStatus, type Topup, type TopupStatus } from "./topup-rows.ts";
import type { CheckoutEvent, Payments } from "./types.ts";

/** Calls that open a checkout, per account. */
const perMinuteMax = 10;
/** Top-ups of one account that wait for payment. */
const pendingMax = 20;
/** Stripe takes 30 minutes to 24 hours. */
const checkoutLifeMs = 60 * 60 * 1000;

interface TopupOrder {
  accountId: bigint;
  amountUsd: number;
  returnUrl: string | undefined;
  at: Date;
}

export async function createTopup(context: Context, { accountId, amountUsd, returnUrl, at }: TopupOrder): Promise<Topup> {
  const { db, limits, payments, publicUrl } = context;
  const amount = wholeCents(amountUsd);
  assertAddress(returnUrl);
  const user = await findUser(db, accountId);
  if (user?.verified !== true) fail("email_unverified");
  await limits.assertWithin({ accountId, bucket: "top-up" }, perMinuteMax);
  if (payments === null) failPayment(context, `nobody can pay online here; ${creditsPage(publicUrl)} says how credit is added`);
  const topup = await insertTopup(db, { id: randomUUID(), accountId, amount, at, pendingMax });
  if (topup === undefined) fail("rate_limit_exceeded", { text: { limit: `${pendingMax} top-ups that wait for payment` } });
  const checkout = await openCheckout(context, payments, topup, returnUrl ?? creditsPage(publicUrl));
  return setCheckout(db, topup.id, checkout);
}

/** The contract bounds the amount; cards are charged in whole cents. */
function wholeCents(usd: number): Amount {
  const amount = amountFromUsd(usd);
  if (amount !== undefined && amount % cent === 0n) return amount;
  return failParameter("amount_usd", "it must be in whole cents");
}

/** The contract has validated its prefix. */
function assertAddress(returnUrl: string | undefined): void {
  if (returnUrl === undefined || (URL.canParse(returnUrl) && returnUrl.isWellFormed())) return;
  failParameter("return_url", "must be an https:// address");
}

async function openCheckout(context: Context, payments: Payments, topup: Topup, returnUrl: string): Promise<{ id: string; url: string }> {
  const expiresAt = new Date(topup.createdAt.getTime() + checkoutLifeMs);
  try {
    return await payments.openCheckout({ topupId: topup.id, amount: topup.amount, returnUrl, expiresAt });
  } catch (error) {
    context.log.error({ reason: (error as Error).message, topup: topupIdText(topup.id) }, "the payment provider did not open a checkout");
    await setStatus(context.db, { id: topup.id, from: "pending", to: "failed", at: context.clock() });
    return failPayment(context, "the payment provider refused or did not answer");
  }
}

function failPayment({ publicUrl }: Context, reason: string): never {
  return fail("payment_failed", { text: { reason }, extra: topupFields(publicUrl) });
}

type Taken =
  | { kind: "seen" | "unknown" | "moved" | "disagrees" | "none" }
  /** Money arrived for a top-up that had been given up. */
  | { kind: "late"; was: TopupStatus };

/** The effect of an event and the row that records it commit together, so that the provider may send it any number of times. */
export async function takeEvent({ db, log }: Pick<Context, "db" | "log">, event: CheckoutEvent, at: Date): Promise<void> {
  refuseInDoubt(db); // its provider sends it again
  const taken = await inTransaction(db, async (transaction): Promise<Taken> => {
    const topup = event.topupId === undefined ? undefined : await lockTopup(transaction, event.topupId);
    if (!(await recordEvent(transaction, event, topup?.id ?? null, at))) return { kind: "seen" };
    return topup === undefined ? { kind: "unknown" } : move(transaction, topup, event, at);
  });
  const about = { event: event.id, type: event.type, checkout: event.checkoutId, topup: event.topupId && topupIdText(event.topupId) };
  if (taken.kind === "unknown") log.warn(about, "a payment event names no top-up of this gateway; it has no effect");
  if (taken.kind === "late") log.warn({ ...about, was: taken.was }, "a payment came after its top-up was given up; it is credited");
  if (taken.kind === "disagrees")
    log.error({ ...about, total: event.total }, "a payment does not match its top-up: nothing is credited, check it");
}

async function move(transaction: Queries, topup: Topup, event: CheckoutEvent, at: Date): Promise<Taken> {
  const { id, accountId, amount, status } = topup;
  const to = nextStatus(status, event);
  if (to === status) return { kind: "none" };
  if (to === "succeeded") {
    if (event.paid !== amount) return { kind: "disagrees" };
    // The entry has the top-up's own id: its primary key refuses a second one, whatever the provider sends.
    await postEntry(transaction, { id, accountId, kind: "deposit", amount, ref: topupIdText(id), at });
  }
  await setStatus(transaction, { id, from: status, to, at });
  return to === "succeeded" && status !== "pending" ? { kind: "late", was: status } : { kind: "moved" };
}

/** A top-up that has ended stays as it is, unless money came in after all: that is credited to the payer. */
function nextStatus(status: TopupStatus, { outcome }: CheckoutEvent): TopupStatus {
  if (outcome === "paid") return "succeeded";
  return status === "pending" && outcome !== "unpaid" ? outcome : status;
}

/** The top-up as answers show it. */
export function topupRecord({ id, status, amount, checkoutUrl, createdAt, completedAt }: Topup) {
  return {
    id: topupIdText(id),
    object: "topup" as const,
    status,
    amount_usd: toUsd(amount),
    checkout_url: status === "pending" ? checkoutUrl : null,
    created_at: createdAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
  };
}
