// The payment provider: Stripe Checkout through its own SDK. Turns a top-up into a checkout, and a signed event into what
// it says of a payment. Stores nothing and moves no money.
import Stripe from "stripe";
import { unixSeconds, withTimeout } from "../clock.ts";
import type { StripeConfig } from "../config.ts";
import { parseJson } from "../json/parse.ts";
import { cent } from "../money.ts";
import { type Bounded, idOf, inUsd, pageOf, paymentOutcome, stripeCards } from "./stripe-cards.ts";
import type {
  CardEvent,
  CheckoutEvent,
  CheckoutOrder,
  CheckoutOutcome,
  DisputeEvent,
  Payer,
  PaymentEvent,
  Payments,
  RefundEvent,
} from "./types.ts";
import { parseAccountId, parseTopupId, topupIdText } from "../ids.ts";

/** At most three attempts; the SDK pauses for half a second and more between them. */
const attemptMs = 4_000;
const retriesMax = 2;
/** For all attempts together: a caller waits no longer, even if the provider asks for it. */
const deadlineMs = 10_000;

/** Older signatures are replays (Stripe's own tolerance). */
const toleranceSec = 300;

export function connectStripe(config: StripeConfig): Payments {
  const stripe = new Stripe(config.secretKey, {
    maxNetworkRetries: retriesMax,
    timeout: attemptMs,
    telemetry: false,
    ...(config.apiBase === null ? {} : addressOf(new URL(config.apiBase))),
  });
  return {
    async openCheckout(order) {
      return pageOf(await bounded(createSession(stripe, config.automaticTax, order)));
    },
    readEvent(bytes, signature, at) {
      // constructEvent would do both, but read the event by JSON.parse (json.ts).
      Stripe.webhooks.signature!.verifyHeader(bytes, signature, config.webhookSecret, toleranceSec, undefined, at.getTime());
      return readableEventOf(parseJson(bytes.toString()) as Stripe.Event);
    },
    cards: stripeCards(stripe, bounded, config.automaticTax),
  };
}

function createSession(
  stripe: Stripe,
  automaticTax: boolean,
  { topupId, amount, returnUrl, expiresAt }: CheckoutOrder,
): Promise<Stripe.Checkout.Session> {
  const id = topupIdText(topupId);
  return stripe.checkout.sessions.create(
    {
      mode: "payment",
      line_items: [
        { quantity: 1, price_data: { currency: "usd", unit_amount: Number(amount / cent), product_data: { name: "API credit" } } },
      ],
      client_reference_id: id,
      // Events are matched by this: unlike the reference, a payer can't set it.
      metadata: { topup_id: id },
      payment_intent_data: { metadata: { topup_id: id } },
      // A total in another currency could not be compared with the top-up.
      adaptive_pricing: { enabled: false },
      ...(automaticTax && { automatic_tax: { enabled: true }, tax_id_collection: { enabled: true } }),
      success_url: returnUrl,
      cancel_url: returnUrl,
      expires_at: unixSeconds(expiresAt),
    },
    { idempotencyKey: id },
  );
}

/** The SDK's errors carry everything that was sent and received; the log needs only what Stripe said. */
function failPlainly(error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, statusCode, code, requestId, message } = error;
  const facts = [type, statusCode, code, requestId].filter((fact) => fact !== undefined);
  throw new Error(`${facts.join(" ")}: ${message}`);
}

function addressOf({ protocol, hostname, port }: URL): Stripe.StripeConfig {
  const isHttp = protocol === "http:";
  return { protocol: isHttp ? "http" : "https", host: hostname, port: port === "" ? (isHttp ? 80 : 443) : Number(port) };
}

const bounded: Bounded = (work) => withTimeout(deadlineMs, work, failLate).catch(failPlainly);

function failLate(): never {
  throw new Error(`the payment provider did not answer within ${deadlineMs} ms`);
}

/** Undefined: an event that says nothing about a payment. */
function readableEventOf(event: Stripe.Event): PaymentEvent | undefined {
  try {
    return paymentEventOf(event);
  } catch {
    const { id, type } = event;
    return { id, type, about: "", said: "", topupId: undefined, paymentId: null, kind: "unreadable" };
  }
}

function paymentEventOf(event: Stripe.Event): PaymentEvent | undefined {
  switch (event.type) {
    case "checkout.session.completed":
      if (event.data.object.mode === "setup") return cardEvent(event, event.data.object);
      // A bank debit completes the checkout days before its money comes, or does not.
      return checkoutEvent(event, event.data.object, event.data.object.payment_status === "paid" ? "paid" : "unpaid");
    case "checkout.session.async_payment_succeeded":
      return checkoutEvent(event, event.data.object, "paid");
    case "checkout.session.async_payment_failed":
      return checkoutEvent(event, event.data.object, "failed");
    case "checkout.session.expired":
      if (event.data.object.mode === "setup") return undefined;
      return checkoutEvent(event, event.data.object, "expired");
    case "payment_intent.succeeded":
    case "payment_intent.payment_failed":
      return chargeEvent(event, event.data.object);
    case "charge.refunded":
      return refundEvent(event, event.data.object);
    case "charge.dispute.created":
      return disputeEvent(event, event.data.object, "created");
    case "charge.dispute.funds_withdrawn":
      return disputeEvent(event, event.data.object, "withdrawn");
    case "charge.dispute.funds_reinstated":
      return disputeEvent(event, event.data.object, "reinstated");
    case "charge.dispute.closed":
      return disputeEvent(event, event.data.object, "closed");
    default:
      return undefined;
  }
}

function checkoutEvent(event: Stripe.Event, session: Stripe.Checkout.Session, outcome: CheckoutOutcome): CheckoutEvent {
  const { id, amount_total: total, total_details: details, currency, metadata, payment_intent: payment } = session;
  const paid = inUsd(total, currency);
  const tax = inUsd(details?.amount_tax ?? 0, currency);
  return {
    ...headOf(event, id, total, currency, metadata, payment),
    kind: "checkout",
    outcome,
    // Tax may come on top of what was ordered. What a discount takes off was not paid.
    paid: paid === null || tax === null ? null : { total: paid, credit: paid - tax },
    ...(session.automatic_tax?.enabled === true && { payer: payerOf(session.customer_details) }),
  };
}

/** What is no country or no number, such as a formula of a spreadsheet, is left out: the payment counts anyway. */
function payerOf(details: Stripe.Checkout.Session.CustomerDetails | null): Payer {
  const [country, taxId] = [details?.address?.country ?? "", details?.tax_ids?.[0]?.value ?? ""];
  return { country: /^[A-Z]{2}$/.test(country) ? country : null, taxId: /^[A-Za-z0-9][\x20-\x7e]{0,63}$/.test(taxId) ? taxId : null };
}

/** Undefined: another application's. */
function cardEvent(event: Stripe.Event, { id, metadata, setup_intent: setup }: Stripe.Checkout.Session): CardEvent | undefined {
  const accountId = parseAccountId(metadata?.["card_of"] ?? "");
  const setupId = idOf(setup);
  if (accountId === undefined || setupId === null) return undefined;
  return { ...headOf(event, id, null, null, null, null), said: "a card", kind: "card", accountId, owner: metadata?.["owner"], setupId };
}

/** Undefined: the payment of a checkout, which has events of its own. */
function chargeEvent(event: Stripe.Event, intent: Stripe.PaymentIntent): CheckoutEvent | undefined {
  const { id, amount, currency, metadata } = intent;
  if (metadata?.["automatic"] !== "1") return undefined;
  return { ...headOf(event, id, amount, currency, metadata, id), ...paymentOutcome(intent), kind: "checkout" };
}

function refundEvent(event: Stripe.Event, charge: Stripe.Charge): RefundEvent {
  const { id, amount_refunded, amount, currency, metadata, payment_intent: payment } = charge;
  const [returned, of] = [inUsd(amount_refunded, currency), inUsd(amount, currency)];
  return {
    ...headOf(event, id, amount_refunded, currency, metadata, payment),
    kind: "refund",
    returned: returned === null || of === null || of === 0n ? null : { amount: returned, of },
  };
}

function disputeEvent(event: Stripe.Event, dispute: Stripe.Dispute, step: DisputeEvent["step"]): DisputeEvent {
  const { id, amount, currency, status, metadata, payment_intent: payment } = dispute;
  const isInquiry = String(status).startsWith("warning_");
  return { ...headOf(event, id, amount, currency, metadata, payment), kind: "dispute", step, disputed: inUsd(amount, currency), isInquiry };
}

function headOf(
  { id, type }: Stripe.Event,
  about: string,
  cents: number | null,
  currency: string | null,
  metadata: Stripe.Metadata | null,
  payment: string | { id: string } | null,
) {
  if (typeof about !== "string") throw new TypeError("what it is about has no id");
  const topupId = parseTopupId(metadata?.["topup_id"] ?? "");
  return { id, type, about, said: `${cents} ${currency}`, topupId, paymentId: idOf(payment) };
}
