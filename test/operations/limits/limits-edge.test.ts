// Limits before a body is read, and limits of 0: the ceiling of calls, the limit of reads, that of public operations.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { shippedTiers } from "../../../src/catalog/tiers.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { minuteTest } from "../../limits/counted-database.ts";
import { type Gateway, startGateway, type TestReply } from "../../support/gateway.ts";
import { hello, language, provider } from "../chat/chat-gateway.ts";

const tiers = [
  { ...shippedTiers[0], rpm: 2 },
  { ...shippedTiers[1], rpm: 3 },
  { ...shippedTiers[2], rpm: 0 },
  { ...shippedTiers[3], max_single_request: 0 },
  { ...shippedTiers[4], tpm: 10, max_single_request: 1_000_000 },
];
const publicPerMinute = 20;

let gateway: Gateway;
beforeAll(async () => {
  const catalog = JSON.stringify({ providers: [provider("north")], models: [language("demo/x", ["sim-tokens-3"])], tiers });
  gateway = await startGateway({ catalog, limits: { publicPerMinute }, env: { SVC_TRUSTED_PROXIES: "1" } });
});
afterEach(async () => void (await gateway.context.db.pool.query("truncate rate_window")));
afterAll(() => gateway.stop());

const many = (count: number, ask: () => Promise<TestReply>) => Promise.all(Array.from({ length: count }, ask));
const passed = (replies: TestReply[]) => replies.filter(({ status }) => status !== 429).length;
const chat = (key: string, body: object | string = { model: "demo/x", messages: hello }) =>
  gateway.request("POST", "/v1/chat/completions", { key, body });
const balance = (key: string) => gateway.request("GET", "/v1/credits/balance", { key });
let addresses = 0;
/** Each test is a client of its own; behind one trusted proxy. */
const newAddress = () => `1.1.1.${++addresses}`;
const models = (address: string) => gateway.request("GET", "/v1/models", { headers: { "x-forwarded-for": `6.6.6.6, ${address}` } });
const withoutDatabase = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  const query = vi.spyOn(gateway.context.db.pool, "query").mockRejectedValue(away as never);
  return work().finally(() => query.mockRestore());
};

describe("calls that name a model", () => {
  minuteTest("ten times the tier's requests a minute, refused ones included, and then nothing is even read", async () => {
    const { key } = await gateway.createAccount({ credit: "1" });
    const replies = [];
    for (let n = 0; n < 25; n += 1) replies.push(await chat(key, "{"));
    expect(replies.map(({ status }) => status)).toEqual([...Array(20).fill(400), ...Array(5).fill(429)]);
    const { headers, json } = replies.at(-1)!;
    expect(json.error.message).toContain("20 requests per minute, refused ones included");
    expect(headers).toMatchObject({ "retry-after": "60", "x-ratelimit-limit-requests": "20", "x-ratelimit-remaining-requests": "0" });
    expect(Number(headers["retry-after-ms"])).toBeGreaterThan(0);
  });

  test("503 overloaded while the database is away: limits fail closed", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    expect((await chat(key)).status).toBe(200); // the key is known
    const { status, json } = await withoutDatabase(() => chat(key));
    expect([status, json.error.code]).toEqual([503, "overloaded"]);
  });
});

describe("403 permission_denied: a limit of 0 blocks, and the message names the deposit that lifts it", () => {
  test("requests per minute; lower tiers lift nothing", async () => {
    const { key } = await gateway.createAccount({ deposit: "50" });
    const { status, json, headers } = await chat(key);
    expect([status, json.error.code, json.error.retryable]).toEqual([403, "permission_denied", false]);
    expect(json.error.message).toContain("tier 2 (Builder) allows no requests; deposits of 250 USD in total lift this");
    expect(headers).not.toHaveProperty("x-ratelimit-limit-requests");
    expect((await balance(key)).status).toBe(200);
  });
});

describe("413 request_too_large", () => {
  test("a limit of 0 tokens in a single request allows none", async () => {
    const { key } = await gateway.createAccount({ deposit: "250" });
    expect((await chat(key)).status).toBe(413);
  });

  test("more tokens than the tier allows in a whole minute: no waiting would help", async () => {
    const { key } = await gateway.createAccount({ deposit: "1000" });
    const { status, json } = await chat(key, { model: "demo/x", messages: [{ role: "user", content: "x".repeat(100) }] });
    expect([status, json.error.code]).toEqual([413, "request_too_large"]);
    expect(json.error.message).toContain("10 tokens per minute");
  });
});

describe("reads and account operations", () => {
  minuteTest("ten times the tier's requests a minute, exactly, apart from calls", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    const replies = await many(60, () => balance(key));
    expect(passed(replies)).toBe(30);
    expect(replies.find(({ status }) => status === 429)!.headers).toMatchObject({
      "retry-after": "60",
      "x-ratelimit-limit-requests": "30",
    });
    expect((await chat(key)).status).toBe(200);
  });

  minuteTest("once exhausted, the database is not asked again", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    await many(40, () => balance(key));
    // Not until the database has said so: on a busy machine it may have answered too late.
    await expect
      .poll(async () => {
        const query = vi.spyOn(gateway.context.db.pool, "query");
        const replies = await many(10, () => balance(key));
        const asked = query.mock.calls.filter(([text]) => String(text).includes("rate_take")).length;
        query.mockRestore();
        return [passed(replies), asked];
      })
      .toEqual([0, 0]);
  });
});

describe("public operations", () => {
  minuteTest("so many a minute and address, whatever else the client says of itself", async () => {
    const [one, other] = [newAddress(), newAddress()];
    expect(passed(await many(50, () => models(one)))).toBe(publicPerMinute);
    expect((await models(other)).status).toBe(200);
    const refused = await models(one);
    expect([refused.status, refused.json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(Number(refused.headers["retry-after-ms"])).toBeGreaterThan(0);
  });

  minuteTest("an IPv6 customer is one client", async () => {
    const network = `2001:db8:1:${++addresses}`;
    let n = 0;
    expect(passed(await many(50, () => models(`${network}::${++n}`)))).toBe(publicPerMinute);
  });

  minuteTest("what the database has counted of a minute counts while it is away, too", async () => {
    const one = newAddress();
    expect(passed(await many(15, () => models(one)))).toBe(15);
    expect(passed(await withoutDatabase(() => many(15, () => models(one))))).toBe(publicPerMinute - 15);
  });

  minuteTest("what was counted in memory of a minute counts once the database is back, too", async () => {
    const one = newAddress();
    expect(passed(await withoutDatabase(() => many(15, () => models(one))))).toBe(15);
    expect(passed(await many(15, () => models(one)))).toBe(publicPerMinute - 15);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // the database is tried again
    expect(passed(await many(15, () => models(one)))).toBe(0);
  });

  minuteTest("go on being served while the database is away, counted in memory", async () => {
    const [one, other] = [newAddress(), newAddress()];
    expect(passed(await withoutDatabase(() => many(50, () => models(one))))).toBe(publicPerMinute);
    await expect.poll(async () => (await models(other)).status).toBe(200);
  });
});

minuteTest("a higher tier's bound of reads begins at once", async () => {
  const account = await gateway.createAccount({ credit: "1" });
  expect(passed(await many(25, () => balance(account.key)))).toBe(20);
  const { db } = gateway.context;
  await postEntry(db, { accountId: account.accountId, kind: "deposit", amount: parseUsd("5")!, ref: "test", at: new Date() });
  await expect.poll(async () => (await balance(account.key)).status).toBe(200);
});
