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

interface EventHead {
  id: string;
  type: string;
  /** The provider's id of the checkout, the charge or the dispute. */
  about: string;
  /** Its money as the provider said it, for the operator. */
  said: string;
  /** UUID; undefined: it names no top-up of ours. */
  topupId: string | undefined;
  /** The provider's id of the payment; null: it names none. */
  paymentId: string | null;
}

export interface Payer {
  /** Of the billing address, by two letters. */
  country: string | null;
  taxId: string | null;
}

export interface CheckoutEvent extends EventHead {
  kind: "checkout";
  outcome: CheckoutOutcome;
  /** What was paid, tax included, and what of it for the credit; null where it is not in USD. */
  paid: { total: Amount; credit: Amount } | null;
  /** Of whom tax was asked; absent where the provider knows nothing of tax. */
  payer?: Payer;
  /** Of an automatic charge that failed. */
  failure?: ChargeFailure | null;
}

/** A payment was refunded, so far, by this much. */
export interface RefundEvent extends EventHead {
  kind: "refund";
  /** Null where it is not in USD. */
  returned: { amount: Amount; of: Amount } | null;
}

/** Events of a dispute come in any order. */
export interface DisputeEvent extends EventHead {
  kind: "dispute";
  step: "created" | "withdrawn" | "reinstated" | "closed";
  /** Null where it is not in USD. */
  disputed: Amount | null;
  /** The payer's bank only asks: no money is taken. */
  isInquiry: boolean;
}

/** A card was saved for automatic top-ups. */
export interface CardEvent extends EventHead {
  kind: "card";
  accountId: bigint;
  /** The account's `usr_…`; undefined: it names none. */
  owner: string | undefined;
  /** The provider's id of what saved it. */
  setupId: string;
}

/** Signed, and not of the shape that is read here: it may be of another version of the provider's API. */
interface UnreadableEvent extends EventHead {
  kind: "unreadable";
}

export type PaymentEvent = CheckoutEvent | RefundEvent | DisputeEvent | CardEvent | UnreadableEvent;

interface CardPageOrder {
  accountId: bigint;
  /** The account's `usr_…`: another gateway of the same provider's account has accounts of the same numbers. */
  owner: string;
  /** The provider's id of the customer; null: it makes one. */
  customerId: string | null;
  returnUrl: string;
  expiresAt: Date;
  idempotencyKey: string;
}

/** A saved card: the provider's ids, and what is shown of it. */
export interface Card {
  customerId: string;
  cardId: string;
  shown: { brand: string; last4: string; exp_month: number; exp_year: number };
}

export interface Charge {
  /** UUID; also the provider's idempotency key. */
  topupId: string;
  /** Whole cents. */
  amount: Amount;
  customerId: string;
  cardId: string;
}

export type ChargeFailure = "declined" | "authentication_required";

/** What became of a charge; `unpaid`: the provider has not finished. */
export interface ChargeOutcome extends Pick<CheckoutEvent, "paymentId" | "paid" | "payer"> {
  outcome: "paid" | "failed" | "unpaid";
  /** Null where it failed: the card was not asked. */
  failure: ChargeFailure | null;
}

/** What automatic top-ups need of a payment provider. Each throws where it is unknown what the provider did. */
export interface CardCharges {
  /** Whether the tax of the card's billing address is charged on top of the amount. */
  isTaxed: boolean;
  openPage(order: CardPageOrder): Promise<{ url: string }>;
  /** Undefined: it is no card that can be charged. */
  readCard(setupId: string): Promise<Card | undefined>;
  charge(charge: Charge): Promise<ChargeOutcome>;
  /** Undefined: the provider never saw the charge. */
  findCharge(charge: Charge & { since: Date }): Promise<ChargeOutcome | undefined>;
  forgetCard(cardId: string): Promise<void>;
}

export interface Payments {
  /** Throws where the provider refuses or does not answer in time; the message is for the log and holds no secret. */
  openCheckout(order: CheckoutOrder): Promise<{ id: string; url: string }>;
  cards: CardCharges;
  /** Throws where the signature is wrong or too old at that time. Undefined: the event is about no payment. */
  readEvent(bytes: Buffer, signature: string, at: Date): PaymentEvent | undefined;
}
