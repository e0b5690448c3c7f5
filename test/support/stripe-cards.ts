// What test/support/stripe-server.ts knows of saved cards: pages that save one, setup intents, charges without their holder, detached cards.
import { randomUUID } from "node:crypto";

export interface StripeIntent {
  id: string;
  object: "payment_intent";
  status: "succeeded" | "processing" | "requires_payment_method";
  amount: number;
  amount_received: number;
  currency: string;
  customer: string;
  payment_method: string;
  created: number;
  metadata: Record<string, string>;
  /** The calculation that it is linked to. */
  tax: string | null;
  last_payment_error: { code: string; decline_code?: string } | null;
}

export interface StripeSetup {
  id: string;
  url: string;
  mode: "setup";
  customer: string;
  setup_intent: string;
  metadata: Record<string, string>;
}

export interface StripeCards {
  /** Pages by their idempotency key, the newest last. */
  pages: Map<string, StripeSetup>;
  /** Charges by their idempotency key. */
  intents: Map<string, StripeIntent>;
  /** What the next charges get, one each; then they succeed. */
  declines: { code: string; decline_code?: string }[];
  /** Runs when a charge was made, before the answer goes out. */
  beforeChargeAnswer: ((intent: StripeIntent) => Promise<void>) | null;
  /** Every charge that was asked for, repeated ones included. */
  chargesAsked: string[];
  detached: string[];
  /** Of the cards that are saved from now on; null: none is asked for. */
  address: { country: string; postal_code: string } | null;
  /** Calculations of tax, at a fifth of the amount, by their idempotency key. */
  calculations: Map<string, { id: string; form: Record<string, string> }>;
}

export const noCards = (): StripeCards => ({
  pages: new Map(),
  intents: new Map(),
  declines: [],
  beforeChargeAnswer: null,
  chargesAsked: [],
  detached: [],
  address: null,
  calculations: new Map(),
});

interface Asked {
  method: string;
  url: string;
  form: Record<string, string>;
  key: string;
}

type Answer = { status: number; body: unknown };

/** Undefined: nothing of cards. */
export async function answerCards(cards: StripeCards, { method, url, form, key }: Asked): Promise<Answer | undefined> {
  const { pathname, searchParams } = new URL(url, "http://stripe");
  if (method === "POST" && pathname === "/v1/checkout/sessions" && form["mode"] === "setup") return ok(openPage(cards, form, key));
  if (method === "GET" && pathname.startsWith("/v1/setup_intents/")) return readSetup(cards, pathname.split("/")[3]!);
  if (method === "GET" && pathname.startsWith("/v1/payment_methods/")) return ok(methodOf(cards, pathname.split("/")[3]!));
  if (method === "POST" && pathname === "/v1/tax/calculations") return calculate(cards, form, key);
  if (method === "POST" && pathname === "/v1/payment_intents") return charge(cards, form, key);
  if (method === "GET" && pathname === "/v1/payment_intents") {
    const data = [...cards.intents.values()].filter(({ customer }) => customer === searchParams.get("customer"));
    return ok({ object: "list", data, has_more: false });
  }
  const detached = /^\/v1\/payment_methods\/(.*)\/detach$/.exec(pathname)?.[1];
  if (method === "POST" && detached !== undefined) {
    cards.detached.push(detached);
    return ok({ object: "payment_method", id: detached });
  }
  return undefined;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "")}`;

const metadataOf = (form: Record<string, string>) =>
  Object.fromEntries(Object.entries(form).flatMap(([name, value]) => (name.startsWith("metadata[") ? [[name.slice(9, -1), value]] : [])));

function openPage({ pages }: StripeCards, form: Record<string, string>, key: string): unknown {
  if ((form["customer"] === undefined) === (form["customer_creation"] === undefined)) throw new Error("one of the two must be sent");
  const id = newId("cs_test");
  const page: StripeSetup = {
    ...{ id, url: `https://checkout.stripe.example/c/setup/${id}`, mode: "setup", customer: form["customer"] ?? newId("cus") },
    ...{ setup_intent: newId("seti"), metadata: metadataOf(form) },
  };
  pages.set(key, page);
  return { object: "checkout.session", status: "open", ...page };
}

function readSetup(cards: StripeCards, id: string): Answer {
  const page = [...cards.pages.values()].find(({ setup_intent }) => setup_intent === id);
  if (page === undefined)
    return { status: 404, body: { error: { type: "invalid_request_error", code: "resource_missing", message: "test" } } };
  const method = methodOf(cards, `pm_${id}`);
  return ok({ object: "setup_intent", id, status: "succeeded", customer: page.customer, payment_method: method });
}

function methodOf({ address }: StripeCards, id: string): unknown {
  const card = { brand: "visa", last4: "4242", exp_month: 4, exp_year: 2030 };
  const nothing = { city: null, line1: null, line2: null, state: null };
  return { object: "payment_method", id, type: "card", card, billing_details: { address: address && { ...nothing, ...address } } };
}

const taxOn = (amount: number) => Math.round(amount / 5);

function calculate(cards: StripeCards, form: Record<string, string>, key: string): Answer {
  if (form["customer_details[address][country]"] === undefined) throw new Error("a calculation needs a country");
  const made = cards.calculations.get(key) ?? { id: newId("taxcalc"), form };
  cards.calculations.set(key, made);
  const amount = Number(made.form["line_items[0][amount]"]);
  return ok({ object: "tax.calculation", id: made.id, tax_amount_exclusive: taxOn(amount), amount_total: amount + taxOn(amount) });
}

async function charge(cards: StripeCards, form: Record<string, string>, key: string): Promise<Answer> {
  cards.chargesAsked.push(key);
  let intent = cards.intents.get(key);
  if (intent === undefined) {
    const error = cards.declines.shift() ?? null;
    const amount = Number(form["amount"]);
    intent = {
      ...{ id: newId("pi"), object: "payment_intent", status: error === null ? "succeeded" : "requires_payment_method", amount },
      ...{ amount_received: error === null ? amount : 0, currency: form["currency"]!, customer: form["customer"]! },
      ...{ payment_method: form["payment_method"]!, created: Math.floor(Date.now() / 1000), last_payment_error: error },
      metadata: metadataOf(form),
      tax: form["hooks[inputs][tax][calculation]"] ?? null,
    };
    cards.intents.set(key, intent);
    await cards.beforeChargeAnswer?.(intent);
  }
  if (intent.last_payment_error === null) return ok(intent);
  const error = { type: "card_error", message: "test: declined", ...intent.last_payment_error, payment_intent: intent };
  return { status: 402, body: { error } };
}
