// The payment provider: Stripe Checkout through its own SDK. Turns a top-up into a checkout, and a signed event into its
// effect on a top-up. Stores nothing and moves no money.
import Stripe from "stripe";
import type { StripeConfig } from "../config.ts";
import { parseJson } from "../json/parse.ts";
import { cent } from "../money.ts";
import { withTimeout } from "../concurrency/timeout.ts";
import type { CheckoutEvent, CheckoutOrder, CheckoutOutcome, Payments } from "./types.ts";
import { parseTopupId, topupIdText } from "./topup-id.ts";

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
      const { id, url } = await withTimeout(deadlineMs, createSession(stripe, order), failLate).catch(failPlainly);
      if (url === null) throw new Error(`the checkout ${id} came without an address`);
      return { id, url };
    },
    readEvent(bytes, signature, at) {
      // constructEvent would do both, but read the event by JSON.parse (json.ts).
      Stripe.webhooks.signature!.verifyHeader(bytes, signature, config.webhookSecret, toleranceSec, undefined, at.getTime());
      return checkoutEventOf(parseJson(bytes.toString()) as Stripe.Event);
    },
  };
}

function createSession(stripe: Stripe, { topupId, amount, returnUrl, expiresAt }: CheckoutOrder): Promise<Stripe.Checkout.Session> {
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
      success_url: returnUrl,
      cancel_url: returnUrl,
      expires_at: Math.floor(expiresAt.getTime() / 1000),
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

function failLate(): never {
  throw new Error(`the payment provider did not answer within ${deadlineMs} ms`);
}

/** Undefined: an event that says nothing about a top-up. */
function checkoutEventOf(event: Stripe.Event): CheckoutEvent | undefined {
  switch (event.type) {
    case "checkout.session.completed":
      // A bank debit completes the checkout days before its money comes, or does not.
      return toEvent(event, event.data.object, event.data.object.payment_status === "paid" ? "paid" : "unpaid");
    case "checkout.session.async_payment_succeeded":
      return toEvent(event, event.data.object, "paid");
    case "checkout.session.async_payment_failed":
      return toEvent(event, event.data.object, "failed");
    case "checkout.session.expired":
      return toEvent(event, event.data.object, "expired");
    default:
      return undefined;
  }
}

function toEvent({ id, type }: Stripe.Event, session: Stripe.Checkout.Session, outcome: CheckoutOutcome): CheckoutEvent {
  const { amount_total: cents, currency, metadata } = session;
  const isUsd = currency === "usd" && Number.isSafeInteger(cents);
  return {
    id,
    type,
    outcome,
    checkoutId: session.id,
    topupId: parseTopupId(metadata?.["topup_id"] ?? ""),
    paid: isUsd ? BigInt(cents as number) * cent : null,
    total: `${cents} ${currency}`,
  };
}
