// What a top-up needs of a payment provider. Types only.
import type { Amount } from "../money.ts";

export interface CheckoutOrder {
  /** UUID; also the provider's idempotency key. */
  topupId: string;
  /** Whole cents. */
  amount: Amount;
  /** The page to which the browser returns, paid or not. */
  returnUrl: string;
  expiresAt: Date;
}

/**
 * The outcome of a checkout; `unpaid`: completed by the payer, the money is on its way.
 */
export type CheckoutOutcome = "paid" | "unpaid" | "failed" | "expired";

export interface CheckoutEvent {
  id: string;
  type: string;
  outcome: CheckoutOutcome;
  /** The provider's id of the checkout. */
  checkoutId: string;
  /** UUID; undefined: it names no top-up of ours. */
  topupId: string | undefined;
  /** Null where it is not in USD. */
  paid: Amount | null;
  /** The same as the provider said it, for the log. */
  total: string;
}

export interface Payments {
  /** Throws where the provider refuses or does not answer in time; the message is for the log and holds no secret. */
  openCheckout(order: CheckoutOrder): Promise<{ id: string; url: string }>;
  /** Throws where the signature is wrong or too old at that time. Undefined: the event is about no checkout. */
  readEvent(bytes: Buffer, signature: string, at: Date): CheckoutEvent | undefined;
}
