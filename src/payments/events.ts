// The payment provider's events: what they do to a top-up, and to the credit of a payment that is refunded or disputed. The effect of an event
// and the row that records it commit together, so that the provider may send events in any order and any number of times. One that can't be
// applied moves nothing, waits in the operator's list, and is answered with an error, so that the provider sends it again.
import { setSuspended } from "../accounts/admin.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { fail } from "../errors/fail.ts";
import { correct, postEntry } from "../ledger/post.ts";
import { type Amount, toUsd } from "../money.ts";
import { writeNotice } from "../notices/notices.ts";
import { noteReversal, readDue, recordEvent, recordUnapplied } from "./event-rows.ts";
import { accountIdText, topupIdText } from "../ids.ts";
import { endCharge, saveCard, turnOff } from "./auto-topup-rows.ts";
import { lockTopup, setPayment, setStatus, type Topup, type TopupStatus } from "./topups.ts";
import type { CardEvent, CheckoutEvent, DisputeEvent, PaymentEvent, Payments, RefundEvent } from "./types.ts";

/** Thrown within the transaction, which then leaves nothing behind. */
class NotApplied extends Error {
  /** Whose event it is; null: of no top-up of this gateway. */
  readonly topupId: string | null;

  constructor(message: string, topup: Pick<Topup, "id"> | null, options?: ErrorOptions) {
    super(message, options);
    this.topupId = topup?.id ?? null;
  }
}

type Taken =
  | { kind: "done" | "unknown" | "suspended" }
  /** Money arrived for a top-up that had been given up. */
  | { kind: "late"; was: TopupStatus };

interface Taking {
  transaction: Queries;
  at: Date;
  suspendOnDispute: boolean;
}

type Needs = Pick<Context, "db" | "log" | "payments" | "config">;

export async function takeEvent({ db, log, payments, config: { suspendOnDispute } }: Needs, event: PaymentEvent, at: Date) {
  refuseInDoubt(db); // its provider sends it again
  const about = { event: event.id, type: event.type, about: event.about, topup: event.topupId && topupIdText(event.topupId) };
  try {
    if (event.kind === "unreadable") throw new NotApplied("it has not the shape that this gateway reads", null);
    const taken =
      event.kind === "card"
        ? await takeCard(db, payments, event, at)
        : await inTransaction(db, (transaction) => take({ transaction, at, suspendOnDispute }, event));
    if (taken.kind === "unknown") log.warn(about, "a payment event names nothing of this gateway; it has no effect");
    if (taken.kind === "late") log.warn({ ...about, was: taken.was }, "a payment came after its top-up was given up; it is credited");
    if (taken.kind === "suspended") log.warn(about, "a payment is disputed: its account is suspended");
  } catch (error) {
    const refused = isContradiction(error) ? new NotApplied("it contradicts what is known here", null, { cause: error }) : error;
    if (!(refused instanceof NotApplied)) throw error;
    const { message: reason, topupId, cause } = refused;
    await recordUnapplied(db, event, { topupId, reason, at });
    log.error({ ...about, said: event.said, reason, err: cause }, "a payment event can't be applied: nothing moved, see svc payment list");
    fail("payment_event_not_applied", { text: { reason } });
  }
}

/** Postgres refuses what an event would write: a number out of range, or a row that a constraint doesn't allow. */
function isContradiction(error: unknown): boolean {
  return /^2[23]...$/.test((error as { code?: string } | null)?.code ?? "");
}

/** The card is read before the transaction: the event itself does not say it. */
async function takeCard(db: Context["db"], payments: Payments | null, event: CardEvent, at: Date): Promise<Taken> {
  const owner = await findUser(db, event.accountId);
  if (owner === undefined || owner.id !== event.owner) return { kind: "unknown" }; // another gateway's, whose account has this number
  const unread = () => new NotApplied(`the saved card of ${accountIdText(event.accountId)} could not be read`, null);
  const card = await payments?.cards.readCard(event.setupId).catch(() => Promise.reject(unread()));
  if (card === undefined) throw unread();
  await inTransaction(db, async (transaction) => {
    if (await recordEvent(transaction, event, null, at)) await saveCard(transaction, event.accountId, card);
  });
  return { kind: "done" };
}

async function take(taking: Taking, event: CheckoutEvent | RefundEvent | DisputeEvent): Promise<Taken> {
  const { transaction, at } = taking;
  const topup = await lockTopup(transaction, event.topupId, event.paymentId);
  if (!(await recordEvent(transaction, event, topup?.id ?? null, at))) return { kind: "done" };
  if (event.kind === "checkout") return topup === undefined ? strangeCheckout(event) : moveTopup(taking, topup, event);
  if (topup === undefined && event.kind === "refund" && event.topupId === undefined) return { kind: "unknown" }; // another application's
  if (topup === undefined) throw new NotApplied("it names no payment of this gateway", null);
  if (topup.status !== "succeeded") throw new NotApplied(`its top-up ${topupIdText(topup.id)} is not paid here`, topup);
  return event.kind === "refund" ? takeRefund(taking, topup, event) : takeDispute(taking, topup, event);
}

/** Checkouts without our mark are another application's. */
function strangeCheckout({ topupId, outcome }: CheckoutEvent): Taken {
  if (topupId === undefined || outcome !== "paid") return { kind: "unknown" };
  throw new NotApplied(`money came for ${topupIdText(topupId)}, which is no top-up of this gateway`, null);
}

/** What is said of the payment, by an event or by an answer. */
type Said = Pick<CheckoutEvent, "outcome" | "paid" | "payer" | "paymentId" | "failure">;

/** Of an automatic charge whose outcome came as an answer. */
export async function settleCharge(db: Context["db"], id: string, said: Said, at: Date): Promise<void> {
  await inTransaction(db, async (transaction) => {
    const topup = await lockTopup(transaction, id, null);
    if (topup !== undefined) await moveTopup({ transaction, at }, topup, said);
  });
}

async function moveTopup({ transaction, at }: Pick<Taking, "transaction" | "at">, topup: Topup, event: Said): Promise<Taken> {
  const { id, accountId, amount, status } = topup;
  const to = nextStatus(status, event);
  if (to === status) return { kind: "done" };
  if (to === "succeeded") {
    const { paid, payer, paymentId } = event;
    // What was ordered is credited, where it was paid: with the tax on top of it, or within it.
    if (paid === null || (paid.credit !== amount && paid.total !== amount))
      throw new NotApplied(`the payment does not match its top-up ${topupIdText(id)}`, topup);
    // The entry has the top-up's own id: its primary key refuses a second one, whatever the provider sends.
    await postEntry(transaction, { id, accountId, kind: "deposit", amount, ref: topupIdText(id), at });
    await setPayment(transaction, id, { paymentId, paid, payer });
  }
  await setStatus(transaction, { id, from: status, to, at });
  const failure = event.failure ?? null;
  const off = topup.automatic && (await endCharge(transaction, topup, { isPaid: to === "succeeded", failure, at }));
  // Of an automatic top-up that is tried again, no one is told.
  if (to === "failed" && (off || !topup.automatic)) {
    const data = { topup_id: topupIdText(id), amount_usd: toUsd(amount), ...(off && failure !== null && { auto_topup_off: failure }) };
    await writeNotice(transaction, { accountId, event: "payment.failed", cause: topupIdText(id), data, at });
  }
  return to === "succeeded" && status !== "pending" ? { kind: "late", was: status } : { kind: "done" };
}

/** A top-up that has ended stays as it is, unless money came in after all: that is credited to the payer. */
function nextStatus(status: TopupStatus, { outcome }: Said): TopupStatus {
  if (outcome === "paid") return "succeeded";
  return status === "pending" && outcome !== "unpaid" ? outcome : status;
}

async function takeRefund(taking: Taking, topup: Topup, { about, returned }: RefundEvent): Promise<Taken> {
  if (returned === null) throw new NotApplied("its amount is not in USD", topup);
  const amount = (topup.amount * returned.amount) / returned.of;
  await noteReversal(taking.transaction, topup.id, { id: about, amount, withdrawn: true, reinstated: false, closed: true });
  await bookDue(taking, topup, "payment_refund");
  await turnOff(taking.transaction, topup.accountId);
  return { kind: "done" };
}

async function takeDispute(taking: Taking, topup: Topup, event: DisputeEvent): Promise<Taken> {
  const { about, step, disputed, isInquiry } = event;
  if (disputed === null) throw new NotApplied("its amount is not in USD", topup);
  const amount = (topup.amount * disputed) / (topup.paid ?? topup.amount);
  const { closed } = await noteReversal(taking.transaction, topup.id, {
    ...{ id: about, amount, withdrawn: step === "withdrawn", reinstated: step === "reinstated", closed: step === "closed" },
  });
  const isReal = step === "withdrawn" || (step === "created" && !isInquiry);
  const suspends = taking.suspendOnDispute && isReal && !closed;
  // The account's row before its balance: in that order a voucher is redeemed.
  if (suspends) await setSuspended(taking.transaction, topup.accountId, taking.at);
  await bookDue(taking, topup, "dispute");
  if (step === "created" || step === "withdrawn") await turnOff(taking.transaction, topup.accountId);
  if (isReal) await noteDispute(taking, topup, about, amount);
  return { kind: suspends ? "suspended" : "done" };
}

/** One notice, whatever the order of its events. */
async function noteDispute(
  { transaction, at }: Taking,
  { id, accountId, amount }: Topup,
  dispute: string,
  disputed: Amount,
): Promise<void> {
  const data = { topup_id: topupIdText(id), amount_usd: toUsd(amount), disputed_usd: toUsd(disputed) };
  await writeNotice(transaction, { accountId, event: "payment.disputed", cause: dispute, data, at });
}

const reasons = { payment_refund: "the payment was refunded", dispute: "the payment was disputed" };

/** Takes back, or returns, what the refunds and disputes of a payment say together and no entry says yet. */
async function bookDue({ transaction, at }: Taking, topup: Topup, kind: "payment_refund" | "dispute"): Promise<void> {
  const { deposit, due } = await readDue(transaction, topup);
  if (due === 0n) return;
  const amount: Amount = -due;
  const reason = amount > 0n ? "the dispute of the payment was won" : reasons[kind];
  const { accountId, id } = topup;
  const corrected = await correct(transaction, { accountId, kind, amount, ref: topupIdText(id), reason, corrects: deposit, at });
  if (corrected.refused !== null) throw new NotApplied(`less of its top-up ${topupIdText(id)} is left: it was corrected by hand`, topup);
}
