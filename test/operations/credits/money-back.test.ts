// A payment that is refunded or disputed: its credit is taken back once, whatever the order of events and however often they come; what can't be
// applied is answered with an error and stands in the operator's list.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyChain } from "../../../src/ledger/verify.ts";
import { callSvc } from "../../cli/run-svc.ts";
import { newOperator } from "../../support/operators.ts";
import { type SignedEvent, stripeEnv, type StripeSession } from "../../support/stripe-server.ts";
import { type Opened, paid, type SignedIn, startTopupGateway, type TopupGateway, untilTaken } from "./topup-gateway.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway({ env: { SVC_SUSPEND_ON_DISPUTE: "1", STRIPE_AUTOMATIC_TAX: "1" } })));
afterAll(async () => {
  const audited = await gateway.audit();
  const verified = await verifyChain(gateway.context.db);
  await gateway.stop();
  expect(audited.mismatches).toEqual([]);
  expect(verified.broken).toBeNull();
});

const completed = "checkout.session.completed";
const withTax = { change: { ...paid.change, amount_total: 2_380, total_details: { amount_tax: 380, amount_discount: 0 } } };

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl, ...stripeEnv(gateway.stripe) }, [...words, "--json"]);
const show = async ({ id }: SignedIn) => (await svc("account", "show", id)).json();
const unapplied = async (event: { id: string }) =>
  ((await svc("payment", "list")).json().data as Record<string, unknown>[]).find(({ event_id }) => event_id === event.id);
/** Type and amount of an account's entries, oldest first. */
async function entriesOf({ who }: Opened): Promise<[string, number][]> {
  const { rows } = await gateway.context.db.pool.query<{ kind: string; amount: bigint }>(
    "select kind, amount from ledger_entry where account_id = $1 order by seq",
    [who.accountId],
  );
  return rows.map(({ kind, amount }) => [kind, Number(amount) / 1e8]);
}

async function credited(how: { change: Record<string, unknown> } = paid): Promise<Opened> {
  const opened = await gateway.opened();
  expect((await gateway.tell(completed, opened.session, how)).status).toBe(200);
  return opened;
}

const charge = ({ payment_intent, metadata }: StripeSession, refunded: number, amount = 2_000) => ({
  ...{ object: "charge", id: `ch_${payment_intent}`, payment_intent, metadata, currency: "usd", amount, amount_refunded: refunded },
});
const refundEvent = ({ session }: Opened, refunded: number, amount?: number) =>
  gateway.stripe.eventOf("charge.refunded", charge(session, refunded, amount));
/** Stripe's dispute has no metadata of the payment. */
const disputeEvent = ({ session }: Opened, step: string, { amount = 2_000, status = "needs_response", id = "" } = {}) =>
  gateway.stripe.eventOf(`charge.dispute.${step}`, {
    ...{ object: "dispute", id: `dp_${id}${session.payment_intent}`, charge: `ch_${session.payment_intent}` },
    ...{ payment_intent: session.payment_intent, metadata: {}, currency: "usd", amount, status },
  });

describe("tax", () => {
  test("is asked for, and a payment with tax on top credits what was ordered", async () => {
    const opened = await credited(withTax);
    expect(gateway.stripe.calls.at(-1)!.form).toMatchObject({ "automatic_tax[enabled]": "true" });
    expect(await show(opened.who)).toMatchObject({ balance: 20, lifetime_purchased: 20 });
    expect(await gateway.read(opened)).toMatchObject({ amount_usd: 20, paid_usd: 23.8, tax_usd: 3.8, tax_country: null, tax_id: null });
  });

  test("the top-up and the statement show what was paid, the tax in it, the country and the tax id; the sums are without tax", async () => {
    const customer = { address: { country: "DE" }, tax_ids: [{ type: "eu_vat", value: "DE123456789" }] };
    const opened = await credited({ change: { ...withTax.change, automatic_tax: { enabled: true }, customer_details: customer } });
    expect(gateway.stripe.calls.at(-1)!.form).toMatchObject({ "tax_id_collection[enabled]": "true" });
    const shown = { amount_usd: 20, paid_usd: 23.8, tax_usd: 3.8, tax_country: "DE", tax_id: "DE123456789" };
    expect(await gateway.read(opened)).toMatchObject(shown);
    const month = new Date().toISOString().slice(0, 7);
    const statement = (accept: string) =>
      gateway.request("GET", `/v1/credits/statements/${month}`, { key: opened.who.token, headers: { accept } });
    const { json } = await statement("application/json");
    expect(json).toMatchObject({ topups_usd: 20, closing_balance_usd: 20, payments: [shown] });
    expect((await statement("text/csv")).text).toContain(",20,23.8,3.8,DE,DE123456789,\r\n");
    expect((await statement("application/pdf")).text).toContain("paid 23.8, of it tax 3.8, DE, tax id DE123456789");
  });

  test.each([
    ["no tax is due", { total_details: { amount_tax: 0 }, amount_total: 2_000 }, { address: { country: "US" } }, [20, 0, "US", null]],
    ["what Stripe would not say", {}, { address: { country: "Germany" }, tax_ids: [{ value: "=1+1" }] }, [23.8, 3.8, null, null]],
    ["nothing of the payer", {}, null, [23.8, 3.8, null, null]],
  ])("%s: the payment counts", async (_title, change, customer, [paid_usd, tax_usd, tax_country, tax_id]) => {
    const of = { ...withTax.change, automatic_tax: { enabled: true }, customer_details: customer, ...change };
    const opened = await credited({ change: of });
    expect(await gateway.read(opened)).toMatchObject({ status: "succeeded", paid_usd, tax_usd, tax_country, tax_id });
    expect(await show(opened.who)).toMatchObject({ balance: 20 });
  });

  test.each([
    ["the tax is part of the price", { amount_total: 2_000, total_details: { amount_tax: 319 } }, 200],
    ["a discount takes off some of it", { amount_total: 1_880, total_details: { amount_tax: 380, amount_discount: 500 } }, 409],
    ["more was paid, and it was no tax", { amount_total: 2_380, total_details: { amount_tax: 0 } }, 409],
  ])("%s", async (_title, change, status) => {
    const opened = await gateway.opened();
    expect((await gateway.tell(completed, opened.session, { change: { ...paid.change, ...change } })).status).toBe(status);
    expect(await show(opened.who)).toMatchObject({ balance: status === 200 ? 20 : 0 });
  });
});

describe("charge.refunded", () => {
  test("takes the credit back; tier and lifetime_purchased follow; the entry names the purchase", async () => {
    const opened = await credited();
    expect((await gateway.send(refundEvent(opened, 2_000))).status).toBe(200);
    expect(await show(opened.who)).toMatchObject({ balance: 0, lifetime_purchased: 0, tier: 0, status: "active" });
    const { json } = await gateway.request("GET", "/v1/credits/ledger?type=payment_refund", { key: opened.who.key });
    expect(json.data).toMatchObject([
      { id: "led_2", amount_usd: -20, balance_after: 0, ref: opened.id, corrects: "led_1", reason: "the payment was refunded" },
    ]);
  });

  test("in parts, with repeats and late ones: the sum is what was refunded in all", async () => {
    const opened = await credited();
    const [half, more] = [refundEvent(opened, 1_000), refundEvent(opened, 1_500)];
    for (const event of [more, half, more, half]) expect((await gateway.send(event)).status).toBe(200);
    expect(await entriesOf(opened)).toEqual([["deposit", 20], ["payment_refund", -15]]); // prettier-ignore
    await gateway.send(refundEvent(opened, 2_000));
    expect(await show(opened.who)).toMatchObject({ balance: 0, lifetime_purchased: 0 });
  });

  test("with tax: the credit's part of what was refunded", async () => {
    const opened = await credited(withTax);
    await gateway.send(refundEvent(opened, 1_190, 2_380));
    expect(await show(opened.who)).toMatchObject({ balance: 10 });
    await gateway.send(refundEvent(opened, 2_380, 2_380));
    expect(await show(opened.who)).toMatchObject({ balance: 0 });
  });

  test("takes the balance below 0 where the credit is spent", async () => {
    const opened = await credited();
    await gateway.context.db.pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'usage', -500000000, 'raw')",
      [opened.who.accountId],
    );
    await gateway.send(refundEvent(opened, 2_000));
    expect(await show(opened.who)).toMatchObject({ balance: -5, lifetime_purchased: 0, lifetime_spent: 5 });
  });

  test("100 at once, of 3 refunds: each counts once, however often a busy database has it sent again", async () => {
    const opened = await credited();
    const events = [500, 1_000, 1_700].map((cents) => refundEvent(opened, cents));
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => untilTaken(() => gateway.send(events[n % 3]!))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await show(opened.who)).toMatchObject({ balance: 3, lifetime_purchased: 3 });
  });
});

describe("disputes", () => {
  test("created suspends the account, the withdrawal takes the credit, and a dispute that is won returns it", async () => {
    const opened = await credited();
    await gateway.send(disputeEvent(opened, "created"));
    expect(await show(opened.who)).toMatchObject({ status: "suspended", balance: 20 });
    await gateway.send(disputeEvent(opened, "funds_withdrawn"));
    expect(await show(opened.who)).toMatchObject({ balance: 0, lifetime_purchased: 0 });
    await gateway.send(disputeEvent(opened, "closed", { status: "won" }));
    await gateway.send(disputeEvent(opened, "funds_reinstated"));
    expect(await show(opened.who)).toMatchObject({ balance: 20, lifetime_purchased: 20, status: "suspended" });
    expect(await entriesOf(opened)).toEqual([["deposit", 20], ["dispute", -20], ["dispute", 20]]); // prettier-ignore
  });

  test("an inquiry suspends nothing until money is taken", async () => {
    const opened = await credited();
    await gateway.send(disputeEvent(opened, "created", { status: "warning_needs_response" }));
    expect(await show(opened.who)).toMatchObject({ status: "active" });
    await gateway.send(disputeEvent(opened, "funds_withdrawn"));
    expect(await show(opened.who)).toMatchObject({ status: "suspended" });
  });

  test("without SVC_SUSPEND_ON_DISPUTE the account stays active, until an operator sets it", async () => {
    const plain = await startTopupGateway();
    try {
      const opened = await plain.opened();
      const taken = async (event: SignedEvent) => expect((await untilTaken(() => plain.send(event))).status).toBe(200);
      await taken(plain.stripe.event(completed, opened.session, paid));
      await taken(disputeEvent(opened, "created"));
      expect((await plain.request("GET", "/v1/credits/balance", { key: opened.who.key })).json).toMatchObject({ balance: 20 });
      const { key } = await newOperator(plain, "admin");
      const body = { suspend_on_dispute: true, reason: "a test" };
      expect((await plain.request("PATCH", "/v1/operator/settings", { key, body })).status).toBe(200);
      await taken(disputeEvent(opened, "funds_withdrawn"));
      // Its key was known: a process hears of the suspension a moment later.
      await expect.poll(async () => (await plain.request("GET", "/v1/credits/balance", { key: opened.who.key })).status).toBe(403);
    } finally {
      await plain.stop();
    }
  });

  test("a refund and a dispute of one payment never take more than its credit", async () => {
    const opened = await credited();
    await gateway.send(refundEvent(opened, 1_500));
    await gateway.send(disputeEvent(opened, "funds_withdrawn", { amount: 2_000 }));
    expect(await show(opened.who)).toMatchObject({ balance: 0 });
    await gateway.send(disputeEvent(opened, "funds_reinstated", { amount: 2_000 }));
    expect(await show(opened.who)).toMatchObject({ balance: 5 });
  });

  test("events of a refund and two disputes in any order, with repeats: the end is the same", async () => {
    const steps = ["created", "funds_withdrawn", "funds_reinstated", "closed"];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), fc.boolean(), async (order, together) => {
        const opened = await credited();
        const events = order.map((n) => {
          if (n === 4) return refundEvent(opened, 200);
          return n === 5
            ? disputeEvent(opened, "funds_withdrawn", { amount: 300, id: "b" })
            : disputeEvent(opened, steps[n]!, { amount: 1_000 });
        });
        if (together) await Promise.all(events.map((event) => untilTaken(() => gateway.send(event))));
        else for (const event of [...events, events[0]!]) expect((await gateway.send(event)).status).toBe(200);
        const has = (n: number) => order.includes(n);
        const taken = (has(1) && !has(2) ? 10 : 0) + (has(4) ? 2 : 0) + (has(5) ? 3 : 0);
        expect(await show(opened.who)).toMatchObject({ balance: 20 - taken, lifetime_purchased: 20 - taken });
      }),
      { numRuns: 25 },
    );
  });
});

describe("409 payment_event_not_applied: what can't be applied moves nothing and stands in svc payment list", () => {
  test("a refund that comes before its payment: sent again after it, it is applied and leaves the list", async () => {
    const opened = await gateway.opened();
    const event = refundEvent(opened, 2_000);
    const first = await gateway.send(event);
    expect([first.status, first.json.error.code]).toEqual([409, "payment_event_not_applied"]);
    await gateway.send(event);
    expect(await unapplied(event)).toEqual({
      ...{ event_id: event.id, type: "charge.refunded", about: `ch_${opened.session.payment_intent}`, amount: "2000 usd" },
      ...{ topup_id: opened.id, account_id: opened.who.id, reason: `its top-up ${opened.id} is not paid here`, times: 2 },
      ...{ first_at: expect.any(String), last_at: expect.any(String) },
    });
    await gateway.tell(completed, opened.session, paid);
    expect((await gateway.send(event)).status).toBe(200);
    expect(await unapplied(event)).toBeUndefined();
    expect(await show(opened.who)).toMatchObject({ balance: 0 });
  });

  test("a payment that disagrees is not taken as seen: sent again, it is refused again", async () => {
    const opened = await gateway.opened();
    const event = gateway.stripe.event(completed, opened.session, { change: { ...paid.change, amount_total: 1_999 } });
    for (let n = 0; n < 2; n += 1) expect((await gateway.send(event)).status).toBe(409);
    expect(await unapplied(event)).toMatchObject({
      times: 2,
      reason: `the payment does not match its top-up ${opened.id}`,
      amount: "1999 usd",
    });
  });

  test.each([
    [
      "a refund that bears the mark of another gateway's top-up",
      "charge.refunded",
      { amount: 500, amount_refunded: 500, metadata: { topup_id: `top_${"0".repeat(32)}` } },
    ],
    ["a dispute of an unknown payment", "charge.dispute.created", { amount: 500, status: "needs_response", metadata: {} }],
  ])("%s", async (_title, type, fields) => {
    const object = { id: `x_${randomUUID()}`, payment_intent: `pi_${randomUUID()}`, currency: "usd", ...fields };
    const event = gateway.stripe.eventOf(type, object);
    expect((await gateway.send(event)).status).toBe(409);
    expect(await unapplied(event)).toMatchObject({ type, reason: "it names no payment of this gateway", topup_id: null, account_id: null });
  });

  test("a dispute in a foreign currency: it has no mark, and the list names the top-up and the account of its payment", async () => {
    const opened = await credited();
    const { payment_intent } = opened.session;
    const dispute = { id: `dp_${randomUUID()}`, payment_intent, metadata: {}, currency: "eur", amount: 500, status: "needs_response" };
    const event = gateway.stripe.eventOf("charge.dispute.created", dispute);
    expect((await gateway.send(event)).status).toBe(409);
    expect(await unapplied(event)).toMatchObject({ topup_id: opened.id, account_id: opened.who.id, reason: "its amount is not in USD" });
  });

  test("a refund of what was corrected by hand: dismissed, it has no effect when it comes again", async () => {
    const opened = await credited();
    await svc("account", "adjust", opened.who.id, "-20", "--entry", "led_1", "--reason", "refunded by hand");
    const event = refundEvent(opened, 2_000);
    expect((await gateway.send(event)).status).toBe(409);
    expect(await unapplied(event)).toMatchObject({ account_id: opened.who.id, reason: expect.stringContaining("corrected by hand") });
    expect((await svc("payment", "dismiss", event.id)).json()).toEqual({ event_id: event.id, dismissed: true });
    const logged = "select who, action from operator_action where target = $1";
    expect((await gateway.context.db.pool.query(logged, [event.id])).rows).toMatchObject([
      { who: expect.stringMatching(/^svc /), action: "payment.dismiss" },
    ]);
    expect((await gateway.send(event)).status).toBe(200);
    expect(await unapplied(event)).toBeUndefined();
    expect(await show(opened.who)).toMatchObject({ balance: 0, lifetime_purchased: 0 });
    expect((await svc("payment", "dismiss", event.id)).stderr).toBe(`no such event waits: ${event.id}\n`);
  });
});

test("a refund of another application's charge on the same Stripe account: 200, and nothing waits", async () => {
  const object = { id: `ch_${randomUUID()}`, payment_intent: `pi_${randomUUID()}`, metadata: {}, currency: "usd" };
  const event = gateway.stripe.eventOf("charge.refunded", { ...object, amount: 500, amount_refunded: 500 });
  expect((await gateway.send(event)).status).toBe(200);
  expect(await unapplied(event)).toBeUndefined();
});
