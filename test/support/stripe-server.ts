// Stripe's place in tests: a small HTTP server that opens checkouts the way Stripe does (authentication, form fields,
// idempotency keys), fails on order, and makes signed events about them.
import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { answerCards, noCards, type StripeCards } from "./stripe-cards.ts";

export const secretKey = "sk_test_of_the_gateway_tests";
export const webhookSecret = "whsec_of_the_gateway_tests";

export interface StripeSession {
  id: string;
  url: string;
  amount_total: number;
  currency: string;
  payment_status: "unpaid" | "paid";
  client_reference_id: string;
  /** The payment's id, which its charge and disputes name. */
  payment_intent: string;
  metadata: Record<string, string>;
}

/** What the next call gets instead of a checkout. */
type StripeFault = { status: number; code: string } | "hang" | "cut";

export interface SignedEvent {
  id: string;
  body: string;
  signature: string;
}

export interface StripeServer {
  url: string;
  /** What was posted so far: form fields, by call. */
  calls: { form: Record<string, string>; idempotencyKey: string }[];
  /** Taken one a call, first to last. */
  faults: StripeFault[];
  sessions: Map<string, StripeSession>;
  /** Saved cards and their charges. */
  cards: StripeCards;
  /** Runs when a checkout is made, before the answer goes out. */
  beforeAnswer: ((session: StripeSession) => Promise<void>) | null;
  /** Signed at `at`; `change` alters the session as the event shows it. */
  event(type: string, session: StripeSession, options?: EventOptions): SignedEvent;
  /** About any object, such as a charge or a dispute. */
  eventOf(type: string, object: Record<string, unknown>, options?: Omit<EventOptions, "change">): SignedEvent;
  close(): Promise<void>;
}

export interface EventOptions {
  id?: string;
  at?: Date;
  secret?: string;
  change?: Record<string, unknown>;
}

/** What STRIPE_* must say so that the gateway takes this server for Stripe. */
export function stripeEnv({ url }: Pick<StripeServer, "url">): Record<string, string> {
  return { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_BASE: url };
}

export async function startStripe(): Promise<StripeServer> {
  const server = createServer((req, res) => void answer(stripe, req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stripe: StripeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    faults: [],
    sessions: new Map(),
    cards: noCards(),
    beforeAnswer: null,
    event: (type, session, { change, ...options } = {}) =>
      signedEvent(type, { object: "checkout.session", ...session, ...change }, options),
    eventOf: signedEvent,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return stripe;
}

async function answer(stripe: StripeServer, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const form = Object.fromEntries(new URLSearchParams(await text(req)));
  const refuse = (status: number, code: string) => {
    res.writeHead(status, { "content-type": "application/json" });
    res.end(JSON.stringify({ error: { type: status < 500 ? "invalid_request_error" : "api_error", code, message: `test: ${code}` } }));
  };
  if (req.headers.authorization !== `Bearer ${secretKey}`) return refuse(401, "api_key_invalid");
  const idempotencyKey = req.headers["idempotency-key"];
  if (form["mode"] === "setup" || req.url !== "/v1/checkout/sessions") {
    const fault = stripe.faults.shift();
    if (fault === "hang") return;
    if (fault === "cut") return void req.socket.destroy();
    if (fault !== undefined) return refuse(fault.status, fault.code);
    const asked = { method: req.method ?? "", url: req.url ?? "", form, key: String(idempotencyKey) };
    const answered = await answerCards(stripe.cards, asked);
    if (answered === undefined) return refuse(404, "resource_missing");
    res.writeHead(answered.status, { "content-type": "application/json" });
    return void res.end(JSON.stringify(answered.body));
  }
  if (typeof idempotencyKey !== "string" || idempotencyKey === "") return refuse(400, "idempotency_key_missing");
  stripe.calls.push({ form, idempotencyKey });
  const fault = stripe.faults.shift();
  if (fault === "hang") return;
  if (fault === "cut") return void req.socket.destroy();
  if (fault !== undefined) return refuse(fault.status, fault.code);
  const wrong = wrongField(form);
  if (wrong !== undefined) return refuse(400, `parameter_invalid ${wrong}`);
  let session = stripe.sessions.get(idempotencyKey);
  if (session === undefined) {
    session = openSession(form);
    stripe.sessions.set(idempotencyKey, session);
    await stripe.beforeAnswer?.(session);
  }
  res.writeHead(200, { "content-type": "application/json" });
  res.end(JSON.stringify({ object: "checkout.session", mode: "payment", status: "open", ...session }));
}

/** Stripe refuses a checkout that lacks one of these. */
function wrongField(form: Record<string, string>): string | undefined {
  const expiresIn = Number(form["expires_at"]) * 1000 - Date.now();
  const rules: Record<string, boolean> = {
    mode: form["mode"] === "payment",
    currency: form["line_items[0][price_data][currency]"] === "usd",
    unit_amount: /^[1-9]\d*$/.test(form["line_items[0][price_data][unit_amount]"] ?? ""),
    quantity: form["line_items[0][quantity]"] === "1",
    success_url: /^https?:\/\//.test(form["success_url"] ?? ""),
    cancel_url: /^https?:\/\//.test(form["cancel_url"] ?? ""),
    client_reference_id: (form["client_reference_id"] ?? "").length <= 200,
    expires_at: expiresIn >= 30 * 60_000 && expiresIn <= 24 * 60 * 60_000,
  };
  return Object.keys(rules).find((field) => !rules[field]);
}

function openSession(form: Record<string, string>): StripeSession {
  const id = `cs_test_${randomUUID().replaceAll("-", "")}`;
  return {
    id,
    url: `https://checkout.stripe.example/c/pay/${id}`,
    amount_total: Number(form["line_items[0][price_data][unit_amount]"]),
    currency: "usd",
    payment_status: "unpaid",
    client_reference_id: form["client_reference_id"] ?? "",
    payment_intent: `pi_${randomUUID().replaceAll("-", "")}`,
    metadata: { topup_id: form["metadata[topup_id]"] ?? "" },
  };
}

function signedEvent(type: string, object: Record<string, unknown>, { id, at, secret }: EventOptions = {}): SignedEvent {
  const eventId = id ?? `evt_${randomUUID().replaceAll("-", "")}`;
  const body = JSON.stringify({ id: eventId, object: "event", api_version: "2026-01-01", type, data: { object } });
  const time = Math.floor((at ?? new Date()).getTime() / 1000);
  const mac = createHmac("sha256", secret ?? webhookSecret)
    .update(`${time}.${body}`)
    .digest("hex");
  return { id: eventId, body, signature: `t=${time},v1=${mac}` };
}
