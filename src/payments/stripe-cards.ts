// Saved cards at Stripe: a page that saves one, charges without their holder, and what became of a charge. Stores nothing.
import Stripe from "stripe";
import { unixSeconds } from "../clock.ts";
import { accountIdText, topupIdText } from "../ids.ts";
import { type Amount, cent } from "../money.ts";
import type { Card, CardCharges, Charge, ChargeOutcome } from "./types.ts";

/** Bounds each call, and leaves of an error what the log may have. */
export type Bounded = <T>(work: Promise<T>) => Promise<T>;

export function stripeCards(stripe: Stripe, bounded: Bounded, isTaxed: boolean): CardCharges {
  return {
    isTaxed,
    async openPage({ accountId, owner, customerId, returnUrl, expiresAt, idempotencyKey }) {
      const account = accountIdText(accountId);
      const opened = stripe.checkout.sessions.create(
        {
          ...{ mode: "setup", currency: "usd", payment_method_types: ["card"], client_reference_id: account },
          ...(customerId === null ? { customer_creation: "always" } : { customer: customerId }),
          metadata: { card_of: account, owner },
          ...(isTaxed && { billing_address_collection: "required" }),
          setup_intent_data: { metadata: { card_of: account } },
          ...{ success_url: returnUrl, cancel_url: returnUrl, expires_at: unixSeconds(expiresAt) },
        },
        { idempotencyKey },
      );
      return pageOf(await bounded(opened));
    },
    readCard: async (setupId) => cardOf(await bounded(stripe.setupIntents.retrieve(setupId, { expand: ["payment_method"] }))),
    charge: (charge) => bounded(charged(stripe, charge, isTaxed)),
    findCharge: async ({ topupId, customerId, since }) => {
      const asked = { customer: customerId, created: { gte: unixSeconds(since) - clockSkewSec }, limit: 100 };
      const { data } = await bounded(stripe.paymentIntents.list(asked));
      const intent = data.find(({ metadata }) => metadata["topup_id"] === topupIdText(topupId));
      return intent && paymentOutcome(intent);
    },
    async forgetCard(cardId) {
      await bounded(stripe.paymentMethods.detach(cardId).catch(ignoreUnknown));
    },
  };
}

/** Of Stripe's clock and ours. */
const clockSkewSec = 3600;

async function charged(stripe: Stripe, charge: Charge, isTaxed: boolean): Promise<ChargeOutcome> {
  const { topupId, amount, customerId, cardId } = charge;
  const id = topupIdText(topupId);
  try {
    const tax = isTaxed ? await taxOf(stripe, charge) : untaxed;
    // Saving the card again helps, as where its bank asks for its holder.
    if (tax === null) return { outcome: "failed", paid: null, paymentId: null, failure: "authentication_required" };
    return paymentOutcome(
      await stripe.paymentIntents.create(
        {
          ...{
            amount: Number(amount / cent) + tax.cents,
            currency: "usd",
            customer: customerId,
            payment_method: cardId,
            payment_method_types: ["card"],
          },
          ...{ off_session: true, confirm: true, description: "API credit" },
          ...(tax.hooks && { hooks: tax.hooks }),
          metadata: { topup_id: id, automatic: "1", ...tax.metadata },
        },
        { idempotencyKey: id },
      ),
    );
  } catch (error) {
    const isFinal = error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError;
    if (!isFinal) throw error; // it is unknown whether the card was charged
    const paymentId = error.payment_intent?.id ?? null;
    return { outcome: "failed", paid: null, paymentId, failure: failureOf(error) };
  }
}

interface Tax {
  cents: number;
  /** Links the intent to how it was calculated. */
  hooks?: Stripe.PaymentIntentCreateParams.Hooks;
  /** What the intent must say of it when its event comes: it has no other field for it. */
  metadata?: { tax: string; tax_country: string };
}

const untaxed: Tax = { cents: 0 };

/**
 * By the card's billing address; null: it has none, since it was saved while no tax was charged. Stripe records the tax once the linked charge
 * succeeds, and reverses it with a refund.
 */
async function taxOf(stripe: Stripe, { topupId, amount, cardId }: Charge): Promise<Tax | null> {
  const id = topupIdText(topupId);
  const { address } = (await stripe.paymentMethods.retrieve(cardId)).billing_details;
  if (address?.country == null) return null;
  const { id: calculation, tax_amount_exclusive: cents } = await stripe.tax.calculations.create(
    {
      currency: "usd",
      line_items: [{ amount: Number(amount / cent), reference: id, tax_behavior: "exclusive" }],
      customer_details: { address_source: "billing", address: { ...stated(address), country: address.country } },
    },
    { idempotencyKey: `${id}-tax` },
  );
  return { cents, hooks: { inputs: { tax: { calculation } } }, metadata: { tax: String(cents), tax_country: address.country } };
}

function stated<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as never;
}

/** What an intent says of the charge: no one is there who could confirm it, so that every other state is a failure. */
export function paymentOutcome(intent: Stripe.PaymentIntent): ChargeOutcome {
  const { id: paymentId, status, amount_received: received, currency, metadata, last_payment_error: error } = intent;
  if (status === "succeeded") {
    const [total, tax] = [inUsd(received, currency), inUsd(Number(metadata["tax"] ?? 0), currency)];
    const paid = total === null || tax === null ? null : { total, credit: total - tax };
    const country = metadata["tax_country"];
    return { outcome: "paid", paid, paymentId, failure: null, ...(country !== undefined && { payer: { country, taxId: null } }) };
  }
  if (status === "processing") return { outcome: "unpaid", paid: null, paymentId, failure: null };
  const failure = status === "requires_action" ? "authentication_required" : failureOf(error ?? {});
  return { outcome: "failed", paid: null, paymentId, failure };
}

function failureOf({ code, decline_code: declined }: { code?: string | undefined; decline_code?: string | undefined }) {
  return code === "authentication_required" || declined === "authentication_required" ? "authentication_required" : "declined";
}

function cardOf({ customer, payment_method: method }: Stripe.SetupIntent): Card | undefined {
  if (method === null || typeof method === "string" || method.card === undefined) return undefined;
  const customerId = idOf(customer ?? method.customer);
  if (customerId === null) return undefined;
  const { brand, last4, exp_month, exp_year } = method.card;
  return { customerId, cardId: method.id, shown: { brand, last4, exp_month, exp_year } };
}

/** Stripe knows no such card any more, or it belongs to no customer: it is forgotten. */
function ignoreUnknown(error: unknown): void {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
}

export function pageOf({ id, url }: Stripe.Checkout.Session): { id: string; url: string } {
  if (url === null) throw new Error(`the checkout ${id} came without an address`);
  return { id, url };
}

/** Of what Stripe names by its id or, where asked to, shows whole. */
export function idOf(named: string | { id: string } | null): string | null {
  return typeof named === "string" ? named : (named?.id ?? null);
}

export function inUsd(cents: number | null, currency: string | null): Amount | null {
  return currency === "usd" && Number.isSafeInteger(cents) && (cents as number) >= 0 ? BigInt(cents as number) * cent : null;
}
