// The payment provider's events: money is credited once, whatever they are, in whatever order, however often they come.
import fc from "fast-check";
import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whileAllFail } from "../../support/failing-statements.ts";
import { spawnGateway } from "../../support/gateway.ts";
import { type SignedEvent, stripeEnv, type StripeSession, webhookSecret } from "../../support/stripe-server.ts";
import { type Opened, paid, startTopupGateway, type TopupGateway, untilTaken } from "./topup-gateway.ts";

let gateway: TopupGateway;
beforeAll(async () => void (gateway = await startTopupGateway()));
afterAll(() => gateway.stop());

const completed = "checkout.session.completed";
const succeeded = "checkout.session.async_payment_succeeded";
const failed = "checkout.session.async_payment_failed";
const expired = "checkout.session.expired";

const depositsOf = async ({ who }: Opened) =>
  (
    await gateway.context.db.pool.query("select id, amount, ref from ledger_entry where account_id = $1 and kind = 'deposit'", [
      who.accountId,
    ])
  ).rows as { id: string; amount: bigint; ref: string }[];
const isCleanAudit = async () => expect((await gateway.audit()).mismatches).toEqual([]);

describe("a paid checkout", () => {
  test("credits its top-up, and the tier and paid models follow at once", async () => {
    const opened = await gateway.opened();
    const { who, id, session } = opened;
    const balance = async () => (await gateway.request("GET", "/v1/credits/balance", { key: who.key })).json;
    const call = async () => {
      const body = { model: "best", messages: [{ role: "user", content: "Hello" }], max_tokens: 5 };
      return (await gateway.request("POST", "/v1/chat/completions", { key: who.key, body })).status;
    };
    expect([(await balance()).tier, await call()]).toEqual([0, 402]);
    expect(await gateway.tell(completed, session, paid)).toMatchObject({ status: 200, json: { received: true } });
    expect(await balance()).toMatchObject({ balance: 20, lifetime_purchased: 20, tier: 1 });
    expect(await call()).toBe(200);
    expect(await gateway.read(opened)).toMatchObject({ status: "succeeded", checkout_url: null, completed_at: expect.any(String) });
    const [entry, ...more] = await depositsOf(opened);
    expect([entry!.ref, entry!.amount, `top_${entry!.id.replaceAll("-", "")}`, more]).toEqual([id, 2_000_000_000n, id, []]);
    await isCleanAudit();
  });

  test("credits its top-up however the keys of its event are written, whatever V8 has read before", async () => {
    const opened = await gateway.opened();
    const { body } = gateway.stripe.event(completed, opened.session, paid);
    JSON.parse(body.replace('"payment_status"', '"payment_st\\\\u00"')); // what V8's JSON.parse then takes the escaped key for
    const payload = body.replace('"payment_status"', '"payment_st\\u0061tus"');
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    expect((await gateway.send({ id: "", body: payload, signature })).status).toBe(200);
    expect(await gateway.balance(opened.who)).toMatchObject({ balance: 20 });
  });

  test("one event sent 100 times at once credits once, however often a busy database has it sent again", async () => {
    const opened = await gateway.opened();
    const event = gateway.stripe.event(completed, opened.session, paid);
    const replies = await Promise.all(Array.from({ length: 100 }, () => untilTaken(() => gateway.send(event))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await depositsOf(opened)).toHaveLength(1);
    expect(await gateway.balance(opened.who)).toMatchObject({ balance: 20 });
    await isCleanAudit();
  });

  test("50 different events that each say paid credit once", async () => {
    const opened = await gateway.opened();
    const events = Array.from({ length: 50 }, (_, n) => gateway.stripe.event(n % 2 ? completed : succeeded, opened.session, paid));
    await Promise.all(events.map((event) => untilTaken(() => gateway.send(event))));
    expect(await depositsOf(opened)).toHaveLength(1);
    await isCleanAudit();
  });

  test("the ledger itself refuses a second entry of one top-up", async () => {
    const opened = await gateway.opened();
    await gateway.tell(completed, opened.session, paid);
    const again = gateway.context.db.pool.query(
      `insert into ledger_entry (account_id, created_at, id, kind, amount, ref)
       select account_id, now(), id, kind, amount, ref from ledger_entry where account_id = $1 and kind = 'deposit'`,
      [opened.who.accountId],
    );
    await expect(again).rejects.toThrow(/duplicate key/);
  });

  test("what fails half way leaves nothing behind: the provider's repeat credits", async () => {
    const opened = await gateway.opened();
    const { pool } = gateway.context.db;
    const event = gateway.stripe.event(completed, opened.session, paid);
    await pool.query("alter table ledger_entry rename to ledger_entry_away");
    const first = await gateway.send(event);
    await pool.query("alter table ledger_entry_away rename to ledger_entry");
    expect([first.status, (await gateway.read(opened)).status]).toEqual([500, "pending"]);
    expect((await gateway.send(event)).status).toBe(200);
    expect(await depositsOf(opened)).toHaveLength(1);
  });
});

test("503 overloaded: the database is away; nothing is stored, and the provider comes again", async () => {
  const opened = await gateway.opened();
  const event = gateway.stripe.event(completed, opened.session, paid);
  const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  const { status, json } = await whileAllFail(gateway.context.db, away, () => gateway.send(event));
  expect([status, json.error.code]).toEqual([503, "overloaded"]);
  expect((await gateway.send(event)).status).toBe(200);
  expect(await depositsOf(opened)).toHaveLength(1);
});

test("a process killed before its provider answered: a surviving one credits the payment", async () => {
  const { stripe } = gateway;
  const killed = await spawnGateway({ DATABASE_URL: gateway.databaseUrl, ...stripeEnv(stripe) });
  const who = await gateway.signedIn();
  let session: StripeSession | undefined;
  stripe.beforeAnswer = async (made) => {
    session = made;
    await killed.kill("SIGKILL");
  };
  const init = {
    method: "POST",
    headers: { authorization: `Bearer ${who.token}`, "content-type": "application/json" },
    body: '{"amount_usd":20}',
  };
  await expect(fetch(`${killed.url}/v1/credits/topup`, init)).rejects.toThrow();
  stripe.beforeAnswer = null;
  const opened = { who, id: session!.client_reference_id, session: session! };
  expect(await gateway.read(opened)).toMatchObject({ status: "pending", checkout_url: null });
  expect((await gateway.tell(completed, opened.session, paid)).status).toBe(200);
  expect(await gateway.read(opened)).toMatchObject({ status: "succeeded" });
  expect(await depositsOf(opened)).toHaveLength(1);
});

describe("everything else adds nothing", () => {
  test.each([
    ["completed and not paid yet stays pending", completed, {}, "pending"],
    ["expired", expired, {}, "expired"],
    ["a payment that failed later", failed, {}, "failed"],
    ["an id that is none", completed, { ...paid.change, metadata: { topup_id: "' or true --" } }, "pending"],
    ["no metadata", completed, { ...paid.change, metadata: null }, "pending"],
    ["an event of another kind", "payment_intent.succeeded", paid.change, "pending"],
  ])("%s: 200, nothing credited", async (_title, type, change, status) => {
    const opened = await gateway.opened();
    expect((await gateway.tell(type, opened.session, { change })).status).toBe(200);
    expect(await gateway.read(opened)).toMatchObject({ status });
    expect(await depositsOf(opened)).toEqual([]);
  });

  test.each([
    ["a wrong amount", completed, { ...paid.change, amount_total: 1_999 }, "pending"],
    ["ten times the amount", completed, { ...paid.change, amount_total: 20_000 }, "pending"],
    ["no amount", completed, { ...paid.change, amount_total: null }, "pending"],
    ["half a cent", completed, { ...paid.change, amount_total: 2_000.5 }, "pending"],
    ["a foreign currency", completed, { ...paid.change, currency: "jpy" }, "pending"],
    ["another top-up's id", completed, { ...paid.change, metadata: { topup_id: `top_${"0".repeat(32)}` } }, "pending"],
  ])("%s: 409 payment_event_not_applied, nothing credited, and the right event credits later", async (_title, type, change, status) => {
    const opened = await gateway.opened();
    const { status: got, json } = await gateway.tell(type, opened.session, { change });
    expect([got, json.error.code]).toEqual([409, "payment_event_not_applied"]);
    expect(await gateway.read(opened)).toMatchObject({ status });
    expect(await depositsOf(opened)).toEqual([]);
    expect((await gateway.tell(completed, opened.session, paid)).status).toBe(200);
    expect(await depositsOf(opened)).toHaveLength(1);
  });

  test("the events of the invoice that Stripe makes of a checkout with tax: 200 each, before it is paid and after it, and one credit", async () => {
    const opened = await gateway.opened();
    const { payment_intent, metadata } = opened.session;
    const invoice = { object: "invoice", id: "in_1", payment_intent, metadata, currency: "usd", status: "paid", amount_paid: 2_380, total: 2_380 }; // prettier-ignore
    const kinds = ["created", "finalized", "paid", "payment_succeeded", "payment_failed", "voided", "paid"];
    const invoiced = async () => {
      for (const kind of kinds) expect((await gateway.send(gateway.stripe.eventOf(`invoice.${kind}`, invoice))).status).toBe(200);
    };
    await invoiced();
    expect([(await gateway.read(opened)).status, await depositsOf(opened)]).toEqual(["pending", []]);
    const change = { ...paid.change, amount_total: 2_380, total_details: { amount_tax: 380 }, automatic_tax: { enabled: true }, invoice: "in_1" }; // prettier-ignore
    expect((await gateway.tell(completed, opened.session, { change })).status).toBe(200);
    await invoiced();
    expect(await depositsOf(opened)).toMatchObject([{ amount: 2_000_000_000n }]);
  });

  test("a top-up that has ended stays as it is, but for money that came after all", async () => {
    const opened = await gateway.opened();
    await gateway.tell(expired, opened.session);
    await gateway.tell(failed, opened.session);
    expect(await gateway.read(opened)).toMatchObject({ status: "expired" });
    await gateway.tell(completed, opened.session, paid);
    await gateway.tell(failed, opened.session);
    expect(await gateway.read(opened)).toMatchObject({ status: "succeeded" });
    expect(await gateway.balance(opened.who)).toMatchObject({ balance: 20 });
  });
});

test("events in any order, with repeats: paid once if any of them says paid, and the audit is clean", async () => {
  const kinds = [
    [completed, {}],
    [completed, paid],
    [succeeded, paid],
    [failed, {}],
    [expired, {}],
    [completed, { change: { ...paid.change, amount_total: 1 } }],
    [succeeded, { change: { ...paid.change, currency: "eur" } }],
  ] as const;
  const histories = fc.array(fc.record({ kind: fc.nat(kinds.length - 1), repeat: fc.nat(2) }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(histories, fc.boolean(), async (history, together) => {
      const opened = await gateway.opened();
      const events = history.flatMap(({ kind, repeat }): SignedEvent[] => {
        const [type, options] = kinds[kind]!;
        return Array<SignedEvent>(repeat + 1).fill(gateway.stripe.event(type, opened.session, options));
      });
      if (together) await Promise.all(events.map((event) => untilTaken(() => gateway.send(event))));
      else for (const event of events) expect([200, 409]).toContain((await gateway.send(event)).status);
      const isPaid = history.some(({ kind }) => kind === 1 || kind === 2);
      const { status } = (await gateway.read(opened)) as { status: string };
      expect(await depositsOf(opened)).toHaveLength(isPaid ? 1 : 0);
      expect(await gateway.balance(opened.who)).toMatchObject({ balance: isPaid ? 20 : 0 });
      if (isPaid) expect(status).toBe("succeeded");
      else if (!together) expect(status).toBe(firstEnd(history.map(({ kind }) => kind)));
    }),
    { numRuns: 40 },
  );
  await isCleanAudit();
});

function firstEnd(kinds: number[]): string {
  const end = kinds.find((kind) => kind === 3 || kind === 4);
  return end === undefined ? "pending" : end === 3 ? "failed" : "expired";
}

describe("400 invalid_parameter stripe-signature: nothing is stored", () => {
  const minutes = (n: number) => new Date(Date.now() + n * 60_000);
  test.each<[string, (event: SignedEvent, fresh: (options: object) => SignedEvent) => Partial<SignedEvent>]>([
    ["missing", () => ({ signature: "" })],
    ["not one", () => ({ signature: "t=1,v1=00" })],
    ["another secret", (_, fresh) => fresh({ secret: "whsec_other" })],
    ["made six minutes ago", (_, fresh) => fresh({ at: minutes(-6) })],
    ["one byte of the body changed", ({ body }) => ({ body: body.replace('"usd"', '"usD"') })],
    ["one space added", ({ body }) => ({ body: `${body} ` })],
    ["a time of its own", ({ signature }) => ({ signature: signature.replace(/^t=\d+/, `t=${Math.floor(Date.now() / 1000) - 5}`) })],
  ])("%s", async (_title, change) => {
    const opened = await gateway.opened();
    const fresh = (options: object) => gateway.stripe.event(completed, opened.session, { ...paid, ...options });
    const good = fresh({});
    const { status, json } = await gateway.send({ ...good, ...change(good, fresh) });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "stripe-signature"]);
    expect(await gateway.read(opened)).toMatchObject({ status: "pending" });
    const { rows } = await gateway.context.db.pool.query("select 1 from payment_event where topup_id = $1::uuid", [opened.id.slice(4)]);
    expect(rows).toEqual([]);
  });

  test("no such header at all", async () => {
    const { body } = gateway.stripe.event(completed, (await gateway.opened()).session, paid);
    const { status, json } = await gateway.request("POST", "/v1/credits/webhooks/stripe", { body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "stripe-signature"]);
  });

  test("a signature of four minutes ago still counts", async () => {
    const opened = await gateway.opened();
    expect((await gateway.tell(completed, opened.session, { ...paid, at: minutes(-4) })).status).toBe(200);
    expect(await gateway.read(opened)).toMatchObject({ status: "succeeded" });
  });
});

describe("wrong signatures", () => {
  let proxied: TopupGateway;
  beforeAll(async () => void (proxied = await startTopupGateway({ env: { SVC_TRUSTED_PROXIES: "1" } })));
  afterAll(() => proxied.stop());
  const from = (address: string, { body, signature }: SignedEvent) =>
    proxied.request("POST", "/v1/credits/webhooks/stripe", {
      body,
      headers: { "stripe-signature": signature, "x-forwarded-for": address },
    });

  test("503 overloaded after 60 in a minute from one network, before the body is read; events from elsewhere count as ever", async () => {
    const opened = await proxied.opened();
    const good = proxied.stripe.event(completed, opened.session, paid);
    const wrong = { ...good, signature: good.signature.replace(/v1=..../, "v1=0000") };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 503 && statuses.length < 100) statuses.push((await from("203.0.113.1", wrong)).status);
    expect(new Set(statuses)).toEqual(new Set([400, 503]));
    expect([61, 62, 63, 64]).toContain(statuses.length); // a minute's edge may let a few more in
    const unread = await from("203.0.113.1", { ...good, body: "not JSON" });
    expect([unread.status, unread.json.error.code, unread.headers["retry-after"]]).toEqual([
      503,
      "overloaded",
      expect.stringMatching(/^\d+$/),
    ]);
    expect(await proxied.read(opened)).toMatchObject({ status: "pending" });
    expect((await from("203.0.113.2", good)).status).toBe(200);
    expect(await proxied.read(opened)).toMatchObject({ status: "succeeded" });
  });

  test("right ones are never counted: 200 of them from one network are taken", async () => {
    const opened = await proxied.opened();
    const good = proxied.stripe.event(completed, opened.session, paid);
    const replies = await Promise.all(Array.from({ length: 200 }, () => untilTaken(() => from("203.0.113.3", good))));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });
});
