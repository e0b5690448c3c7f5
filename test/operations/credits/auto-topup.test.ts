// The settings of automatic top-ups over HTTP: consent, amounts, the saved card and its removal. The charges are in auto-charge.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { codeOf, startTeamGateway, type TeamGateway } from "../team/team-gateway.ts";
import { change, get, look, on, path, ready, saveCard, topupsOf } from "./auto-topup-gateway.ts";
import { startTopupGateway, type TopupGateway } from "./topup-gateway.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway()));
afterAll(() => gateway.stop());
beforeEach(() => void (gateway.stripe.faults.length = 0));

const card = { brand: "visa", last4: "4242", exp_month: 4, exp_year: 2030 };

describe("getAutoTopup 200", () => {
  test("without a choice it is off, without a card and without consent", async () => {
    expect(await get(gateway, await gateway.signedIn())).toMatchObject({
      ...{
        object: "auto_topup",
        available: true,
        enabled: false,
        threshold_usd: 5,
        amount_usd: 20,
        monthly_cap_usd: 100,
        month_used_usd: 0,
      },
      ...{ card: null, consent: null, last_failure: null, retry_at: null, terms: { version: "2026-11-26" } },
    });
  });
});

describe("updateAutoTopup", () => {
  test("200: turned on with a card and the consent, which is kept with who gave it and when", async () => {
    const who = await ready(gateway, { amount_usd: 30 });
    expect(await get(gateway, who)).toMatchObject({
      ...{ enabled: true, amount_usd: 30, card },
      consent: { version: "2026-11-26", at: expect.any(String), by: expect.stringMatching(/^usr_[0-9a-f]{32}$/) },
    });
  });

  test("409 card_missing: there is no card, and nothing is changed", async () => {
    const who = await gateway.signedIn();
    expect(codeOf(await change(gateway, who, { ...on, amount_usd: 50 }))).toEqual([409, "card_missing"]);
    expect(await get(gateway, who)).toMatchObject({ enabled: false, amount_usd: 20 });
  });

  test.each<[string, Record<string, unknown>]>([
    ["consent_version", { consent_version: "2020-01-01" }],
    ["consent_version", { consent_version: undefined }],
    ["monthly_cap_usd", { amount_usd: 50, monthly_cap_usd: 49.99 }],
    ["amount_usd", { amount_usd: 4.99 }],
    ["amount_usd", { amount_usd: 20.001 }],
    ["amount_usd", { amount_usd: "20" }],
    ["threshold_usd", { threshold_usd: -1 }],
    ["monthly_cap_usd", { monthly_cap_usd: 100_001 }],
    ["enabled", { enabled: "yes" }],
  ])("400 invalid_parameter: %s, and nothing is changed", async (param, fields) => {
    const who = await gateway.signedIn();
    await saveCard(gateway, who);
    const { status, json } = await change(gateway, who, { ...on, ...fields });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(await get(gateway, who)).toMatchObject({ enabled: false, amount_usd: 20 });
  });

  test("400 invalid_parameter: amounts of what is on are not raised without the consent", async () => {
    const who = await ready(gateway);
    const { status, json } = await change(gateway, who, { monthly_cap_usd: 5_000 });
    expect([status, json.error.param]).toEqual([400, "consent_version"]);
    expect((await change(gateway, who, { enabled: false, monthly_cap_usd: 5_000 })).status).toBe(200); // off needs none
  });
});

describe("startCardSetup", () => {
  test("200: the provider's page, of which a completed one saves the card once, however often it is reported", async () => {
    const who = await gateway.signedIn();
    const opened = await gateway.request("POST", `${path}/card`, { key: who.token, body: { return_url: "https://app.example.com/" } });
    expect([opened.status, opened.json]).toEqual([
      200,
      { object: "card.setup", url: expect.stringContaining("/setup/"), expires_at: expect.any(String) },
    ]);
    const page = [...gateway.stripe.cards.pages.values()].find(({ url }) => url === opened.json.url)!;
    expect((await get(gateway, who)).card).toBeNull();
    const event = gateway.stripe.eventOf("checkout.session.completed", { object: "checkout.session", ...page });
    expect((await Promise.all([1, 2, 3].map(() => gateway.send(event)))).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get(gateway, who)).card).toEqual(card);
    expect(await gateway.balance(who)).toMatchObject({ balance: 0 });
  });

  test("a card that can't be read is not lost: the event gets 409, and saves it when it is sent again", async () => {
    const who = await gateway.signedIn();
    await gateway.request("POST", `${path}/card`, { key: who.token, body: {} });
    const page = [...gateway.stripe.cards.pages.values()].at(-1)!;
    const event = gateway.stripe.eventOf("checkout.session.completed", { object: "checkout.session", ...page });
    gateway.stripe.faults.push({ status: 400, code: "test" });
    expect(codeOf(await gateway.send(event))).toEqual([409, "payment_event_not_applied"]);
    expect((await gateway.send(event)).status).toBe(200);
    expect((await get(gateway, who)).card).toEqual(card);
  });

  test.each([
    ["bears the mark of another gateway's account of the same number", { owner: `usr_${"0".repeat(32)}` }],
    ["bears no mark", { owner: undefined }],
    ["is of an account that there is not", { card_of: "acc_999999999" }],
  ])("a card that %s is not saved: 200, and the workspace's own card stays", async (_title, mark) => {
    const who = await ready(gateway);
    const saved = async () =>
      (await gateway.context.db.pool.query("select customer_id, card_id from auto_topup where account_id = $1", [who.accountId])).rows;
    const before = await saved();
    await gateway.request("POST", `${path}/card`, { key: who.token, body: {} });
    const page = [...gateway.stripe.cards.pages.values()].at(-1)!;
    const metadata = { ...page.metadata, ...mark };
    const event = gateway.stripe.eventOf("checkout.session.completed", { object: "checkout.session", ...page, metadata });
    expect((await gateway.send(event)).status).toBe(200);
    expect(await saved()).toEqual(before);
    await change(gateway, who, { enabled: false });
  });

  test("402 payment_failed: the provider refuses", async () => {
    gateway.stripe.faults.push({ status: 400, code: "account_invalid" });
    const who = await gateway.signedIn();
    expect(codeOf(await gateway.request("POST", `${path}/card`, { key: who.token, body: {} }))).toEqual([402, "payment_failed"]);
  });

  test("400 invalid_parameter: a return_url that is not https", async () => {
    const body = { return_url: "javascript:alert(1)" };
    const { status, json } = await gateway.request("POST", `${path}/card`, { key: (await gateway.signedIn()).token, body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "return_url"]);
  });

  test("403 email_unverified", async () => {
    const account = await gateway.createAccount({ verified: false });
    const key = (await gateway.createSession(account)).token;
    expect(codeOf(await gateway.request("POST", `${path}/card`, { key, body: {} }))).toEqual([403, "email_unverified"]);
  });
});

describe("removeCard 200", () => {
  test("turned off, without a card, and the provider forgets it; a second time changes nothing", async () => {
    const who = await ready(gateway);
    for (const _ of [1, 2]) {
      const { status, json } = await gateway.request("DELETE", `${path}/card`, { key: who.token });
      expect([status, json]).toMatchObject([200, { enabled: false, card: null }]);
    }
    const before = gateway.stripe.cards.detached.length;
    gateway.stripe.faults.push({ status: 400, code: "test" }); // unknown there: as good as forgotten
    await look(gateway);
    await look(gateway);
    expect(gateway.stripe.cards.detached.length - before).toBeLessThanOrEqual(1);
    const { rows } = await gateway.context.db.pool.query("select forget_cards from auto_topup where account_id = $1", [who.accountId]);
    expect(rows).toEqual([{ forget_cards: [] }]);
    expect(await topupsOf(gateway.context.db, who)).toEqual([]);
  });

  test("a card that another one replaces is forgotten, too", async () => {
    const who = await ready(gateway);
    const [first] = (await gateway.context.db.pool.query("select card_id from auto_topup where account_id = $1", [who.accountId])).rows;
    await change(gateway, who, { enabled: false });
    await saveCard(gateway, who);
    await look(gateway);
    expect(gateway.stripe.cards.detached).toContain(first.card_id);
  });
});

describe("who may", () => {
  let team: TeamGateway;
  beforeAll(async () => void (team = await startTeamGateway()));
  afterAll(() => team.stop());
  const operations: [method: string, at: string, body: object | undefined, allowed: unknown[]][] = [
    ["GET", path, undefined, [200, undefined]],
    ["PATCH", path, { threshold_usd: 6 }, [200, undefined]],
    ["POST", `${path}/card`, {}, [402, "payment_failed"]],
    ["DELETE", `${path}/card`, undefined, [200, undefined]],
  ];

  test.each(operations)("%s %s: owners, admins and those who pay", async (method, at, body, allowed) => {
    const { workspace, owner, admin, billing, developer, viewer } = await team.team();
    for (const who of [owner, admin, billing]) expect(codeOf(await team.ask(who, method, at, { in: workspace, body }))).toEqual(allowed);
    for (const who of [developer, viewer])
      expect(codeOf(await team.ask(who, method, at, { in: workspace, body }))).toEqual([403, "permission_denied"]);
  });

  test.each(operations)("403 session_required: %s %s with an API key", async (method, at, body) => {
    const { key } = await gateway.createAccount();
    expect(codeOf(await gateway.request(method, at, { key, body }))).toEqual([403, "session_required"]);
  });
});
