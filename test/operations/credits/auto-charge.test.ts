// Charges of saved cards: once, whatever runs at the same time and whatever dies; never above the cap; and what declines lead to.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { spawnGateway, startGateway } from "../../support/gateway.ts";
import type { StripeIntent } from "../../support/stripe-cards.ts";
import { stripeEnv } from "../../support/stripe-server.ts";
import { topupIdText } from "../../../src/ids.ts";
import { change, endLease, endPause, get, look, on, path, ready, topupsOf } from "./auto-topup-gateway.ts";
import { type SignedIn, startTopupGateway, type TopupGateway } from "./topup-gateway.ts";
import { oneInThree } from "../../support/size.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway()));
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});
beforeEach(() => {
  const { cards, faults } = gateway.stripe;
  [faults.length, cards.declines.length, cards.chargesAsked.length] = [0, 0, 0];
  cards.beforeChargeAnswer = null;
});
/** What one test leaves on is not charged in the next. */
const turnOff = (who: SignedIn) => change(gateway, who, { enabled: false });

const statusesOf = async (who: SignedIn) => (await topupsOf(gateway.context.db, who)).map(({ status }) => status);
const balanceOf = async (who: SignedIn) => (await gateway.balance(who)).balance;
const noticesOf = async (who: SignedIn) =>
  (await gateway.context.db.pool.query("select data from notice where account_id = $1 and event = 'payment.failed'", [who.accountId])).rows;
const intentOf = (id: string) => gateway.stripe.cards.intents.get(topupIdText(id))!;

describe("a low balance", () => {
  test("is topped up once, as a purchase, and the balance is then high enough", async () => {
    const who = await ready(gateway);
    await look(gateway);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["succeeded"]]);
    const { json } = await gateway.request("GET", "/v1/credits/balance", { key: who.key });
    expect(json).toMatchObject({ balance: 20, lifetime_purchased: 20, tier: 1 });
    expect(await get(gateway, who)).toMatchObject({ month_used_usd: 20, last_failure: null });
    const [topup] = await topupsOf(gateway.context.db, who);
    expect(await gateway.read({ who, id: topupIdText(topup!.id) })).toMatchObject({
      status: "succeeded",
      amount_usd: 20,
      checkout_url: null,
    });
    await turnOff(who);
  });

  test("is not topped up while it is off, and not while the account is suspended", async () => {
    const who = await ready(gateway);
    await gateway.context.db.pool.query("update account set suspended_at = now() where id = $1", [who.accountId]);
    await look(gateway);
    await gateway.context.db.pool.query("update account set suspended_at = null where id = $1", [who.accountId]);
    await turnOff(who);
    await look(gateway);
    expect(await statusesOf(who)).toEqual([]);
  });

  test("two gateways on one database, many looks at once: one charge, one entry", async () => {
    const who = await ready(gateway);
    const other = await startGateway({ env: stripeEnv(gateway.stripe), databaseUrl: gateway.databaseUrl });
    try {
      await Promise.all(Array.from({ length: 10 }, (_, n) => look(n % 2 ? gateway : other)));
    } finally {
      await other.stop();
    }
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["succeeded"]]);
    expect(gateway.stripe.cards.chargesAsked).toHaveLength(1);
    await turnOff(who);
  });

  test("the event may come before the answer, after it, and again: credited once", async () => {
    const who = await ready(gateway);
    const tell = (intent: object) => gateway.send(gateway.stripe.eventOf("payment_intent.succeeded", { ...intent }));
    gateway.stripe.cards.beforeChargeAnswer = async (intent) => void expect((await tell(intent)).status).toBe(200);
    await look(gateway);
    const [topup] = await topupsOf(gateway.context.db, who);
    for (const _ of [1, 2]) expect((await tell(intentOf(topup!.id))).status).toBe(200);
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["succeeded"]]);
    await turnOff(who);
  });

  test("never above the monthly cap, and again in the next month", async () => {
    const who = await ready(gateway, { threshold_usd: 1_000, monthly_cap_usd: 59.99 });
    for (let n = 0; n < 5; n += 1) await look(gateway);
    expect([await balanceOf(who), await get(gateway, who)]).toMatchObject([40, { month_used_usd: 40 }]);
    await gateway.context.db.pool.query("update topup set created_at = created_at - interval '32 days' where account_id = $1", [
      who.accountId,
    ]);
    await look(gateway);
    expect([await balanceOf(who), await get(gateway, who)]).toMatchObject([60, { month_used_usd: 20 }]);
    await turnOff(who);
  });
});

describe("a charge without an answer", () => {
  oneInThree()("kill -9 between the charge and the credit: another process credits it, and charges nothing more", async () => {
    const who = await ready(gateway);
    let asked = () => undefined as void;
    const charged = new Promise<void>((resolve) => (asked = resolve));
    gateway.stripe.cards.beforeChargeAnswer = () => {
      gateway.stripe.cards.beforeChargeAnswer = null;
      asked();
      return new Promise(() => undefined);
    };
    const dying = await spawnGateway({ ...stripeEnv(gateway.stripe), DATABASE_URL: gateway.databaseUrl });
    await charged;
    await dying.kill("SIGKILL");
    await look(gateway); // its lease is not over
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([0, ["pending"]]);
    await endLease(gateway, who);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["succeeded"]]);
    expect(new Set(gateway.stripe.cards.chargesAsked).size).toBe(1);
    await turnOff(who);
  });

  test("the provider charged and did not answer: the next look finds the charge and credits it, and charges nothing more", async () => {
    const who = await ready(gateway);
    gateway.stripe.cards.beforeChargeAnswer = () => {
      gateway.stripe.cards.beforeChargeAnswer = null;
      gateway.stripe.faults.push("cut", "cut", "cut"); // the SDK's own repeats
      return new Promise(() => undefined); // and no answer
    };
    await look(gateway);
    expect(await statusesOf(who)).toEqual(["pending"]);
    gateway.stripe.faults.length = 0;
    await look(gateway); // its lease is not over
    expect(await statusesOf(who)).toEqual(["pending"]);
    await endLease(gateway, who);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["succeeded"]]);
    expect(new Set(gateway.stripe.cards.chargesAsked).size).toBe(1);
    await turnOff(who);
  });

  test("the provider never had it: it is charged then, under the same idempotency key", async () => {
    const who = await ready(gateway);
    gateway.stripe.faults.push("cut", "cut", "cut");
    await look(gateway);
    expect([await statusesOf(who), gateway.stripe.cards.chargesAsked]).toEqual([["pending"], []]);
    await endLease(gateway, who);
    await look(gateway);
    const [topup] = await topupsOf(gateway.context.db, who);
    expect([await balanceOf(who), gateway.stripe.cards.chargesAsked]).toEqual([20, [topupIdText(topup!.id)]]);
    await turnOff(who);
  });

  test("the card was removed meanwhile: it is not charged any more", async () => {
    const who = await ready(gateway);
    gateway.stripe.faults.push("cut", "cut", "cut");
    await look(gateway);
    await gateway.request("DELETE", `${path}/card`, { key: who.token });
    await endLease(gateway, who);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who), gateway.stripe.cards.chargesAsked]).toEqual([0, ["failed"], []]);
    expect([await noticesOf(who), (await get(gateway, who)).last_failure]).toEqual([[], null]);
  });

  test.each<[string, string, string]>([
    ["the account was suspended", "update account set suspended_at = now()", "update account set suspended_at = null"],
    ["the balance rose above the threshold", "update auto_topup set threshold = 0", "update auto_topup set threshold = 500000000"],
  ])(
    "%s meanwhile: the card is not charged, nothing counts as a decline, and it is charged once it is wanted again",
    async (_, is, ends) => {
      const who = await ready(gateway);
      const change = (sql: string) =>
        gateway.context.db.pool.query(`${sql} where ${sql.includes("auto_topup") ? "account_id" : "id"} = $1`, [who.accountId]);
      gateway.stripe.faults.push("cut", "cut", "cut");
      await look(gateway);
      await change(is);
      await endLease(gateway, who);
      await look(gateway);
      expect([await balanceOf(who), await statusesOf(who), gateway.stripe.cards.chargesAsked]).toEqual([0, ["failed"], []]);
      await change(ends);
      expect(await get(gateway, who)).toMatchObject({ enabled: true, last_failure: null, retry_at: null, month_used_usd: 0 });
      await look(gateway);
      expect([await balanceOf(who), await statusesOf(who)]).toEqual([20, ["failed", "succeeded"]]);
      await turnOff(who);
    },
  );
});

describe("a declined card", () => {
  test("is tried again after 1, 6 and 24 hours; the fourth decline turns it off with one notice; turned on it begins anew", async () => {
    const who = await ready(gateway);
    for (const [declines, hours] of [1, 6, 24].entries()) {
      gateway.stripe.cards.declines.push({ code: "card_declined", decline_code: "insufficient_funds" });
      const since = Date.now();
      await look(gateway);
      await look(gateway); // within the pause
      expect(await statusesOf(who)).toHaveLength(declines + 1);
      const { enabled, last_failure, retry_at } = await get(gateway, who);
      expect([enabled, last_failure]).toEqual([true, "declined"]);
      expect(Math.round((Date.parse(retry_at) - since) / 3_600_000)).toBe(hours);
      expect(await noticesOf(who)).toEqual([]);
      await endPause(gateway, who);
    }
    gateway.stripe.cards.declines.push({ code: "card_declined" });
    await look(gateway);
    expect(await get(gateway, who)).toMatchObject({ enabled: false, last_failure: "declined", retry_at: null, month_used_usd: 0 });
    expect(await noticesOf(who)).toMatchObject([{ data: { amount_usd: 20, auto_topup_off: "declined" } }]);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who)]).toEqual([0, ["failed", "failed", "failed", "failed"]]);
    expect((await change(gateway, who, on)).json).toMatchObject({ enabled: true, last_failure: null });
    await look(gateway);
    expect(await balanceOf(who)).toBe(20);
    await turnOff(who);
  });

  test("by a bank that wants the holder to confirm: off at once, with a notice", async () => {
    const who = await ready(gateway);
    gateway.stripe.cards.declines.push({ code: "authentication_required", decline_code: "authentication_required" });
    await look(gateway);
    expect(await get(gateway, who)).toMatchObject({ enabled: false, last_failure: "authentication_required", retry_at: null });
    expect(await noticesOf(who)).toMatchObject([{ data: { auto_topup_off: "authentication_required" } }]);
    const [topup] = await topupsOf(gateway.context.db, who);
    const event = gateway.stripe.eventOf("payment_intent.payment_failed", { ...intentOf(topup!.id) });
    expect((await gateway.send(event)).status).toBe(200);
    expect(await noticesOf(who)).toHaveLength(1);
  });
});

describe("money that goes back", () => {
  const refund = (intent: StripeIntent) =>
    gateway.stripe.eventOf("charge.refunded", {
      ...{ object: "charge", id: `ch_${intent.id}`, payment_intent: intent.id, metadata: intent.metadata, currency: "usd" },
      ...{ amount: intent.amount, amount_refunded: intent.amount },
    });
  const dispute = ({ id, amount }: StripeIntent) =>
    gateway.stripe.eventOf("charge.dispute.funds_withdrawn", {
      ...{ object: "dispute", id: `dp_${id}`, charge: `ch_${id}`, payment_intent: id, metadata: {}, currency: "usd", amount },
      status: "needs_response",
    });

  test.each([
    ["refunded", refund],
    ["disputed", dispute],
  ])("an automatic payment that is %s is taken back once, and not charged again: automatic top-ups are off", async (_, event) => {
    const who = await ready(gateway);
    await look(gateway);
    const [topup] = await topupsOf(gateway.context.db, who);
    expect((await gateway.send(event(intentOf(topup!.id)))).status).toBe(200);
    await look(gateway);
    expect([await balanceOf(who), await statusesOf(who), (await get(gateway, who)).enabled]).toEqual([0, ["succeeded"], false]);
  });
});
