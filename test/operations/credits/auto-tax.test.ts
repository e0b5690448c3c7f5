// Automatic top-ups with STRIPE_AUTOMATIC_TAX: tax comes on top, by the card's address, and only under terms that say so.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { spawnGateway, startGateway } from "../../support/gateway.ts";
import { stripeEnv } from "../../support/stripe-server.ts";
import { topupIdText } from "../../../src/ids.ts";
import { change, endLease, get, look, on, ready, saveCard, topupsOf } from "./auto-topup-gateway.ts";
import { type SignedIn, startTopupGateway, type TopupGateway } from "./topup-gateway.ts";

const taxed = { ...on, consent_version: "2026-11-28-tax" };
let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway({ env: { STRIPE_AUTOMATIC_TAX: "1" } })));
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});
beforeEach(() => {
  const { cards, faults } = gateway.stripe;
  [faults.length, cards.chargesAsked.length, cards.beforeChargeAnswer] = [0, 0, null];
  cards.address = { country: "DE", postal_code: "10115" };
});

const balanceOf = async (who: SignedIn) => (await gateway.balance(who)).balance;
const onlyTopup = async (who: SignedIn) => topupIdText((await topupsOf(gateway.context.db, who))[0]!.id);
const intentOf = (id: string) => gateway.stripe.cards.intents.get(id)!;

test("the card is charged the tax of its address on top, what was ordered is credited, and the top-up shows both", async () => {
  const who = await ready(gateway, taxed);
  await look(gateway);
  const id = await onlyTopup(who);
  const { form, id: calculation } = gateway.stripe.cards.calculations.get(`${id}-tax`)!;
  expect(form).toMatchObject({
    "line_items[0][amount]": "2000",
    "line_items[0][tax_behavior]": "exclusive",
    "customer_details[address][postal_code]": "10115",
  });
  expect(intentOf(id)).toMatchObject({ amount: 2_400, tax: calculation });
  expect(await gateway.read({ who, id })).toMatchObject({ status: "succeeded", amount_usd: 20, tax_usd: 4, paid_usd: 24 });
  expect(await get(gateway, who)).toMatchObject({ enabled: true, month_used_usd: 20 });
  expect(await balanceOf(who)).toBe(20);
});

test("a refund of half of what was paid takes back half of the credit", async () => {
  const who = await ready(gateway, taxed);
  await look(gateway);
  const { id, metadata } = intentOf(await onlyTopup(who));
  const charge = { object: "charge", id: "ch_half", amount: 2_400, amount_refunded: 1_200, currency: "usd", payment_intent: id, metadata };
  expect((await gateway.send(gateway.stripe.eventOf("charge.refunded", charge))).status).toBe(200);
  expect(await balanceOf(who)).toBe(10);
});

test("an event before the answer credits what was ordered, once", async () => {
  const who = await ready(gateway, taxed);
  gateway.stripe.cards.beforeChargeAnswer = async (intent) => {
    expect((await gateway.send(gateway.stripe.eventOf("payment_intent.succeeded", { ...intent }))).status).toBe(200);
    gateway.stripe.cards.beforeChargeAnswer = null;
  };
  await look(gateway);
  expect(await gateway.read({ who, id: await onlyTopup(who) })).toMatchObject({ amount_usd: 20, tax_usd: 4 });
  expect(await balanceOf(who)).toBe(20);
});

test("kill -9 while the provider charges: the next look finds the charge and credits what was ordered", async () => {
  const who = await ready(gateway, taxed);
  const charged = new Promise<void>((resolve) => {
    gateway.stripe.cards.beforeChargeAnswer = async () => {
      gateway.stripe.cards.beforeChargeAnswer = null;
      await dying.kill("SIGKILL");
      resolve();
    };
  });
  const dying = await spawnGateway({ ...stripeEnv(gateway.stripe), STRIPE_AUTOMATIC_TAX: "1", DATABASE_URL: gateway.databaseUrl });
  await charged;
  await endLease(gateway, who);
  await look(gateway);
  expect(await gateway.read({ who, id: await onlyTopup(who) })).toMatchObject({ status: "succeeded", amount_usd: 20, tax_usd: 4 });
  expect([await balanceOf(who), gateway.stripe.cards.chargesAsked.length]).toEqual([20, 1]);
});

test("a card saved without an address is not charged: top-ups are off until it is saved again", async () => {
  gateway.stripe.cards.address = null;
  const who = await ready(gateway, taxed);
  await look(gateway);
  expect(gateway.stripe.cards.chargesAsked).toEqual([]);
  expect(await get(gateway, who)).toMatchObject({ enabled: false, last_failure: "authentication_required" });
  gateway.stripe.cards.address = { country: "DE", postal_code: "10115" };
  await saveCard(gateway, who);
  expect((await change(gateway, who, taxed)).status).toBe(200);
  await look(gateway);
  expect(await balanceOf(who)).toBe(20);
});

test("who agreed to terms without tax is charged nothing, sees it off, and turns it on by agreeing to those with tax", async () => {
  const untaxed = await startGateway({ env: stripeEnv(gateway.stripe), databaseUrl: gateway.databaseUrl });
  try {
    const who = await gateway.signedIn();
    await saveCard(gateway, who);
    expect((await untaxed.request("PATCH", "/v1/credits/auto-topup", { key: who.token, body: on })).status).toBe(200);
    await look(gateway);
    expect(gateway.stripe.cards.chargesAsked).toEqual([]);
    expect(await get(gateway, who)).toMatchObject({ enabled: false, terms: { version: "2026-11-28-tax" } });
    const refused = await change(gateway, who, on);
    expect([refused.status, refused.json.error.param]).toEqual([400, "consent_version"]);
    expect((await change(gateway, who, taxed)).status).toBe(200);
    await look(untaxed); // the other way round it is enough
    expect(await balanceOf(who)).toBe(20);
    expect(intentOf(await onlyTopup(who))).toMatchObject({ amount: 2_000, tax: null });
  } finally {
    await untaxed.stop();
  }
});

test("a charge that began under terms without tax, and of which nothing is known, is not made with tax", async () => {
  const untaxed = await startGateway({ env: stripeEnv(gateway.stripe), databaseUrl: gateway.databaseUrl });
  try {
    const who = await gateway.signedIn();
    await saveCard(gateway, who);
    expect((await untaxed.request("PATCH", "/v1/credits/auto-topup", { key: who.token, body: on })).status).toBe(200);
    gateway.stripe.faults.push(...Array.from({ length: 3 }, () => ({ status: 500, code: "test" })));
    await look(untaxed);
    expect((await topupsOf(gateway.context.db, who)).map(({ status }) => status)).toEqual(["pending"]);
    await endLease(gateway, who);
    await look(gateway);
    expect((await topupsOf(gateway.context.db, who)).map(({ status }) => status)).toEqual(["failed"]);
    expect(gateway.stripe.cards.chargesAsked).toEqual([]);
  } finally {
    await untaxed.stop();
  }
});
