// Creating and reading top-ups over HTTP. The provider's events are tested in payment-events.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { startGateway } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";
import { paid, startTopupGateway, type TopupGateway } from "./topup-gateway.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway()));
afterAll(() => gateway.stop());
beforeEach(() => {
  gateway.stripe.faults.length = 0;
  gateway.stripe.calls.length = 0;
  gateway.stripe.beforeAnswer = null;
});

const completed = "checkout.session.completed";
const rowsOf = async (accountId: bigint) =>
  (await gateway.context.db.pool.query("select status, checkout_id, completed_at from topup where account_id = $1", [accountId])).rows;

describe("createTopup 200", () => {
  test("a pending top-up with the address of its checkout; nothing is credited yet", async () => {
    const who = await gateway.signedIn();
    const { status, json } = await gateway.topUp(who, { amount_usd: 19.99, return_url: "https://app.example.com/billing" });
    expect(status).toBe(200);
    const session = gateway.stripe.sessions.get(json.id)!;
    expect(json).toEqual({
      ...{ id: expect.stringMatching(/^top_[0-9a-f]{32}$/), object: "topup", status: "pending", amount_usd: 19.99 },
      ...{ paid_usd: null, tax_usd: null, tax_country: null, tax_id: null },
      ...{ checkout_url: session.url, created_at: expect.any(String), completed_at: null },
    });
    expect(session).toMatchObject({ amount_total: 1999, client_reference_id: json.id, metadata: { topup_id: json.id } });
    expect(gateway.stripe.calls).toMatchObject([
      { idempotencyKey: json.id, form: { success_url: "https://app.example.com/billing", cancel_url: "https://app.example.com/billing" } },
    ]);
    expect(await gateway.balance(who)).toMatchObject({ balance: 0 });
  });

  test("without a return_url the checkout comes back to the page about credit", async () => {
    await gateway.topUp(await gateway.signedIn());
    expect(gateway.stripe.calls[0]!.form["success_url"]).toBe(`${gateway.url}/docs/credits`);
  });

  test("a provider that fails once is asked again under the same idempotency key", async () => {
    gateway.stripe.faults.push({ status: 500, code: "api_error" }, "cut");
    const { status, json } = await gateway.topUp(await gateway.signedIn());
    expect(status).toBe(200);
    expect(gateway.stripe.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual([json.id, json.id, json.id]);
  });

  test("the payment may come before the answer that opened the checkout: credited, and the reply says so", async () => {
    const who = await gateway.signedIn();
    gateway.stripe.beforeAnswer = async (session) => void expect((await gateway.tell(completed, session, paid)).status).toBe(200);
    expect((await gateway.topUp(who)).json).toMatchObject({ status: "succeeded", checkout_url: null });
    expect(await gateway.balance(who)).toMatchObject({ balance: 20 });
    expect(await rowsOf(who.accountId)).toMatchObject([{ status: "succeeded", checkout_id: expect.stringMatching(/^cs_test_/) }]);
  });
});

test("403 permission_denied: a top-up that waits until its sender is removed from the workspace is not opened", async () => {
  const { db } = gateway.context;
  const [owner, payer] = [await gateway.signedIn(), await gateway.signedIn()];
  const { json } = await gateway.request("POST", "/v1/workspaces", { key: owner.token, body: { name: "Paid by another" } });
  const found = await db.pool.query<{ account_id: bigint }>("select account_id from member where person_id = $1", [owner.accountId]);
  const { account_id: accountId } = found.rows[0]!;
  await db.pool.query("insert into member (account_id, person_id, role, created_at) values ($1, $2, 'billing', now())", [
    ...[accountId, payer.accountId],
  ]);
  const { reply } = await inTransaction(db, async ({ pool }) => {
    await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
    const headers = { "x-workspace-id": json.id as string };
    const reply = gateway.request("POST", "/v1/credits/topup", { key: payer.token, headers, body: { amount_usd: 20 } });
    await untilWaiting(db, "for no key update");
    await pool.query("delete from member where account_id = $1 and person_id = $2", [accountId, payer.accountId]);
    return { reply };
  });
  const { status, json: refused } = await reply;
  expect([status, refused.error?.code]).toEqual([403, "permission_denied"]);
  expect([await rowsOf(accountId), gateway.stripe.calls]).toEqual([[], []]);
});

describe("createTopup 400", () => {
  test.each([[4.99], [10_000.01], [20.005], [0], [-20], ["20"], [null]])("invalid_parameter: %s USD", async (amount_usd) => {
    const { status, json } = await gateway.topUp(await gateway.signedIn(), { amount_usd });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "amount_usd"]);
    expect(gateway.stripe.calls).toEqual([]);
  });
  test.each([[5], [10_000], [5.01], [4_999.99]])("%s USD is taken, to the cent", async (amount_usd) => {
    const { json } = await gateway.topUp(await gateway.signedIn(), { amount_usd });
    expect([json.amount_usd, gateway.stripe.sessions.get(json.id)!.amount_total]).toEqual([amount_usd, Math.round(amount_usd * 100)]);
  });
  test("invalid_parameter: a return_url that is not https", async () => {
    const { status, json } = await gateway.topUp(await gateway.signedIn(), { amount_usd: 20, return_url: "javascript:alert(1)" });
    expect([status, json.error.param]).toEqual([400, "return_url"]);
  });
});

describe("createTopup 402 payment_failed", () => {
  test.each([
    ["the provider refuses", [{ status: 400, code: "account_invalid" }], 1],
    ["the provider keeps failing", [1, 2, 3].map(() => ({ status: 503, code: "api_error" })), 3],
  ])("%s: the top-up has failed, the attempts are bounded", async (_title, faults, attempts) => {
    gateway.stripe.faults.push(...faults);
    const who = await gateway.signedIn();
    const { status, json } = await gateway.topUp(who);
    expect([status, json.error.code, json.topup_url]).toEqual([402, "payment_failed", `${gateway.url}/docs/credits`]);
    expect(gateway.stripe.calls).toHaveLength(attempts);
    expect(await rowsOf(who.accountId)).toEqual([{ status: "failed", checkout_id: null, completed_at: expect.any(Date) }]);
  });

  test("a provider that hangs times out after 10 seconds", async () => {
    gateway.stripe.faults.push("hang", "hang", "hang");
    const began = performance.now();
    expect((await gateway.topUp(await gateway.signedIn())).json.error.code).toBe("payment_failed");
    expect(performance.now() - began).toBeLessThan(11_500);
  });

  test("no provider is configured: the reply names the page that says how credit is added", async () => {
    const plain = await startGateway();
    try {
      const account = await plain.createAccount();
      const { token } = await plain.createSession(account);
      const reply = await plain.request("POST", "/v1/credits/topup", { key: token, body: { amount_usd: 20 } });
      expect([reply.status, reply.json.error.code]).toEqual([402, "payment_failed"]);
      expect(reply.json).toMatchObject({ topup_url: `${plain.url}/docs/credits`, topup: { minimum_usd: 5 } });
      expect((await fetch(reply.json.topup_url)).status).toBe(200);
      const event = gateway.stripe.event(completed, (await gateway.opened()).session, paid);
      const headers = { "stripe-signature": event.signature };
      const refused = await plain.request("POST", "/v1/credits/webhooks/stripe", { body: event.body, headers });
      expect([refused.status, refused.json.error.param]).toEqual([400, "stripe-signature"]);
    } finally {
      await plain.stop();
    }
  });
});

describe("createTopup refuses before anything is written", () => {
  test("403 session_required: a key may not", async () => {
    const who = await gateway.signedIn();
    const { status, json } = await gateway.request("POST", "/v1/credits/topup", { key: who.key, body: { amount_usd: 20 } });
    expect([status, json.error.code]).toEqual([403, "session_required"]);
  });

  test("403 email_unverified", async () => {
    const account = await gateway.createAccount({ verified: false });
    const { token } = await gateway.createSession(account);
    const { status, json } = await gateway.request("POST", "/v1/credits/topup", { key: token, body: { amount_usd: 20 } });
    expect([status, json.error.code]).toEqual([403, "email_unverified"]);
    expect(await rowsOf(account.accountId)).toEqual([]);
  });

  test("429 rate_limit_exceeded: 20 of them wait for payment, however many are requested at once; one that ends makes room", async () => {
    const who = await gateway.signedIn();
    const { db } = gateway.context;
    await db.pool.query(
      `insert into topup (id, account_id, amount, status, checkout_id, created_at)
       select gen_random_uuid(), $1, 2000000000, 'pending', 'cs_old_' || n, now() - interval '2 hours' from generate_series(1, 17) n`,
      [who.accountId],
    );
    const replies = await Promise.all(Array.from({ length: 8 }, () => gateway.topUp(who)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(await rowsOf(who.accountId)).toHaveLength(20);
    await gateway.tell("checkout.session.expired", gateway.stripe.sessions.get(replies.find(({ status }) => status === 200)!.json.id)!);
    expect((await gateway.topUp(who)).status).toBe(200);
  });

  test("429 rate_limit_exceeded: the eleventh within a minute; another account still gets its own", async () => {
    await awayFromMinuteEdge();
    const [who, other] = [await gateway.signedIn(), await gateway.signedIn()];
    for (let n = 0; n < 10; n++) expect((await gateway.topUp(who)).status).toBe(200);
    const { status, json } = await gateway.topUp(who);
    expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(await rowsOf(who.accountId)).toHaveLength(10);
    expect((await gateway.topUp(other)).status).toBe(200);
  });

  test("a top-up whose process died before the provider answered does not count after an hour", async () => {
    const who = await gateway.signedIn();
    await gateway.context.db.pool.query(
      `insert into topup (id, account_id, amount, status, created_at)
       select gen_random_uuid(), $1, 2000000000, 'pending', now() - interval '61 minutes' from generate_series(1, 20)`,
      [who.accountId],
    );
    expect((await gateway.topUp(who)).status).toBe(200);
    expect((await rowsOf(who.accountId)).filter(({ status }) => status === "expired")).toHaveLength(20);
  });
});

describe("getTopup", () => {
  test("200: its owner reads it, with a key or a session", async () => {
    const { who, id, session } = await gateway.opened();
    for (const key of [who.key, who.token]) {
      const { status, json } = await gateway.request("GET", `/v1/credits/topup/${id}`, { key });
      expect([status, json.id, json.status, json.checkout_url]).toEqual([200, id, "pending", session.url]);
    }
  });

  test("404 topup_not_found: unknown, malformed and foreign ids look alike", async () => {
    const { id } = await gateway.opened();
    const { key } = await gateway.createAccount();
    for (const wrong of [id, `top_${"0".repeat(32)}`, id.toUpperCase(), "top_1", "1", "%00", `${id}0`]) {
      const { status, json } = await gateway.request("GET", `/v1/credits/topup/${wrong}`, { key });
      if (wrong === "%00") expect([status, json.error.code]).toEqual([400, "invalid_parameter"]);
      else
        expect([status, json.error.code, json.error.message]).toEqual([
          404,
          "topup_not_found",
          `There is no top-up ${wrong} in this account.`,
        ]);
    }
  });
});

describe("settings", () => {
  test("a secret key without a webhook secret stops the start: payments would be taken and never credited", () => {
    expect(() => readConfig({ STRIPE_SECRET_KEY: "sk_test_1" })).toThrow(/STRIPE_WEBHOOK_SECRET/);
    expect(() => readConfig({ STRIPE_SECRET_KEY: "sk_test_1" })).not.toThrow(/sk_test_1/);
  });
  test("STRIPE_API_BASE must be an address", () => {
    const env = { STRIPE_SECRET_KEY: "sk_test_1", STRIPE_WEBHOOK_SECRET: "whsec_1" };
    expect(() => readConfig({ ...env, STRIPE_API_BASE: "localhost:1" })).toThrow(/STRIPE_API_BASE/);
    expect(readConfig(env).stripe).toEqual({
      secretKey: "sk_test_1",
      webhookSecret: "whsec_1",
      apiBase: null,
      automaticTax: false,
    });
    expect(() => readConfig({ ...env, SVC_SUSPEND_ON_DISPUTE: "yes" })).toThrow(/SVC_SUSPEND_ON_DISPUTE must be one of 1, 0/);
    expect(() => readConfig({ STRIPE_WEBHOOK_SECRET: "whsec_1" })).toThrow(/both or none/);
    expect(readConfig({}).stripe).toBeNull();
  });
});
