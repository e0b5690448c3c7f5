// Rate limits over HTTP: what passes, what is refused with which headers, and what does not count.
import { describe, expect } from "vitest";
import { shippedTiers } from "../../../src/catalog/tiers.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { minuteTest } from "../../limits/counted-database.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { endJobsOf, newJob } from "../../support/media-jobs.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const free = { pricing: { mode: "per-token", input: 0.05, output: 0.1 } };
const world = chatWorld([
  language("demo/x", ["sim-tokens-3"], free),
  language("demo/y", ["sim-tokens-3"], free),
  language("demo/long", ["sim-tokens-500"], free),
  language("demo/dear", ["sim-tokens-3"], { pricing: { mode: "per-token", input: 1000, output: 1000 } }),
  language("demo/down", ["sim-fail-503"], free),
  language("demo/refusing", ["sim-refuse"], free),
]);

const newcomer = () => world.account({ credit: "1" });
const many = (count: number, ask: (n: number) => Promise<TestReply>) => Promise.all(Array.from({ length: count }, (_, n) => ask(n)));
const statuses = (replies: TestReply[]) =>
  Object.fromEntries(
    Map.groupBy(replies, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );
const limitsOf = async (account: TestAccount) => (await world.gateway.request("GET", "/v1/auth/limits", { key: account.key })).json;
/** Moves this minute into the past; what was there before goes. */
const passMinute = async () => {
  const { pool } = world.gateway.context.db;
  await pool.query("delete from rate_window where starts_at < date_trunc('minute', now())");
  await pool.query("update rate_window set starts_at = starts_at - interval '1 minute'");
};

describe("429 rate_limit_exceeded", () => {
  minuteTest("requests per minute: exactly 30 of 200 at once pass at tier 0, over two models", async () => {
    const account = await newcomer();
    const replies = await many(200, (n) => world.chat(account, { model: n % 2 ? "demo/x" : "demo/y" }));
    expect(statuses(replies)).toEqual({ 200: 30, 429: 170 });
    expect(await limitsOf(account)).toMatchObject({ rpm_used: 30, rpm_remaining: 0, used_today: 30 });
  });

  minuteTest("requests per minute and model: 25 of 60 pass, and another model still answers", async () => {
    const account = await newcomer();
    const replies = await many(60, () => world.chat(account, { model: "demo/x" }));
    expect(statuses(replies)).toEqual({ 200: 25, 429: 35 });
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.json.error).toMatchObject({ code: "rate_limit_exceeded", param: null, retryable: true });
    expect(refused.json.error.message).toContain("25 requests per minute for demo/x");
    expect((await world.chat(account, { model: "demo/y" })).status).toBe(200);
  });

  minuteTest("tokens per minute: the message names them, and what they refuse takes no request", async () => {
    const account = await newcomer();
    const messages = [{ role: "user", content: "word ".repeat(72_000) }]; // about 90,000 tokens
    const replies = [];
    for (let n = 0; n < 3; n += 1) replies.push(await world.chat(account, { model: "demo/x", messages }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(replies[2]!.json.error.message).toContain("200000 tokens per minute");
    expect(await limitsOf(account)).toMatchObject({ rpm_used: 2 });
  });

  minuteTest("carries Retry-After: 60, the true time in retry-after-ms, and what is left", async () => {
    const account = await newcomer();
    await many(30, (n) => world.chat(account, { model: n % 2 ? "demo/x" : "demo/y" }));
    await passMinute();
    // What has faded is taken until nothing is left.
    let refused = await world.chat(account, { model: "demo/x" });
    for (let n = 0; refused.status === 200; n += 1) refused = await world.chat(account, { model: n % 2 ? "demo/x" : "demo/y" });
    expect(refused.headers).toMatchObject({
      "retry-after": "60",
      "x-should-retry": "true",
      "x-ratelimit-limit-requests": "30",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": expect.stringMatching(/^([12]m)?\d+s$/),
    });
    const wait = Number(refused.headers["retry-after-ms"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(2_000); // 30 a minute fade one every 2 s
    await new Promise((resolve) => setTimeout(resolve, wait));
    expect((await world.chat(account, { model: "demo/x" })).status).toBe(200);
  });
});

describe("headers of answers", () => {
  minuteTest("count down, streamed and not, also on errors after the decision", async () => {
    const account = await newcomer();
    const left = async (body: object) => (await world.chat(account, body)).headers["x-ratelimit-remaining-requests"];
    expect(await left({ model: "demo/x" })).toBe("29");
    expect(await left({ model: "demo/x", stream: true })).toBe("28");
    expect(await left({ model: "demo/down" })).toBe("27");
    expect(await left({ model: "demo/refusing" })).toBe("26");
    const { headers } = await world.chat(account, { model: "demo/x" });
    expect(headers).toMatchObject({
      "x-ratelimit-limit-requests": "30",
      "x-ratelimit-reset-requests": expect.stringMatching(/^([12]m)?\d+s$/),
    });
  });
});

describe("what counts for nothing", () => {
  minuteTest("400, 404, 402 model_requires_paid, 402 insufficient_credits, 413", async () => {
    const account = await newcomer();
    const poor = await world.account({ deposit: "5" });
    const replies = [
      await world.chat(account, { model: "demo/x", temperature: 9 }),
      await world.chat(account, { model: "demo/none" }),
      await world.chat(account, { model: "demo/dear" }),
      await world.chat(account, { model: "demo/x", messages: [{ role: "user", content: "x".repeat(1_000_000) }] }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 404, 402, 413]);
    const unpaid = await world.chat(poor, { model: "demo/dear", messages: [{ role: "user", content: "x".repeat(20_000) }] });
    expect([unpaid.status, unpaid.json.error.code]).toEqual([402, "insufficient_credits"]);
    const nothing = { rpm_used: 0, tpm_used: 0, used_today: 0 };
    for (const one of [account, poor]) await expect.poll(() => limitsOf(one)).toMatchObject(nothing);
  });
});

describe("a call that is refused after the decision", () => {
  minuteTest("402 insufficient_credits: the header doesn't count it either", async () => {
    const account = await world.account({ deposit: "5" });
    const messages = [{ role: "user", content: "x".repeat(20_000) }];
    for (let n = 0; n < 2; n++) {
      const { status, headers } = await world.chat(account, { model: "demo/dear", messages });
      expect([status, headers["x-ratelimit-remaining-requests"]]).toEqual([402, headers["x-ratelimit-limit-requests"]]);
    }
  });
});

describe("tokens", () => {
  minuteTest("are corrected to what was measured, input and output", async () => {
    const account = await newcomer();
    const { json } = await world.chat(account, { model: "demo/long" });
    expect(json.usage.completion_tokens).toBe(500);
    await expect.poll(async () => (await limitsOf(account)).tpm_used).toBe(json.usage.total_tokens);
  });

  minuteTest("a call that fails has taken none", async () => {
    const account = await newcomer();
    await world.chat(account, { model: "demo/down" });
    await expect.poll(async () => (await limitsOf(account)).tpm_used).toBe(0);
  });

  minuteTest("413 request_too_large: the input and the output asked for are above what the tier allows in one", async () => {
    const account = await newcomer();
    const tooLong = await world.chat(account, { model: "demo/x", messages: [{ role: "user", content: "x".repeat(800_100) }] });
    expect([tooLong.status, tooLong.json.error.code, tooLong.headers["x-should-retry"]]).toEqual([413, "request_too_large", "false"]);
    expect(tooLong.json.error.message).toContain("tier 0 allows 200000 in a single request");
    // An output cap counts as far as the model goes: 1,000 tokens.
    const messages = [{ role: "user", content: "x".repeat(796_400) }];
    expect((await world.chat(account, { model: "demo/x", messages, max_tokens: 1_000_000 })).status).toBe(413);
    expect((await world.chat(account, { model: "demo/x", messages, max_tokens: 100 })).status).not.toBe(413);
  });
});

describe("get-limits", () => {
  minuteTest("an account that did nothing", async () => {
    const tier = shippedTiers[0]!;
    const before = Date.now();
    const { key, ...answered } = await limitsOf(await newcomer());
    expect(key).toMatchObject({ rpm_limit: null, tpm_limit: null, limit_usd: null, lifetime_limit_usd: null, expires_at: null });
    expect(answered).toEqual({
      ...{ rpm_limit: 30, rpm_used: 0, rpm_remaining: 30, has_credits: false, used_today: 0, remaining: 30, resets_at: expect.any(String) },
      ...{ tier: 0, tier_name: tier.name, tpm_limit: 200_000, tpm_used: 0, per_model_rpm: 25 },
      concurrent: { image: { used: 0, limit: 2 }, video: { used: 0, limit: 0 }, audio: { used: 0, limit: 2 } },
    });
    // Nothing is used: now.
    expect(Date.parse(answered.resets_at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(answered.resets_at)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  minuteTest("streams count once, asking counts for nothing, slots are those of audio calls and media jobs", async () => {
    const account = await world.account({ deposit: "5" });
    await many(3, () => world.chat(account, { model: "demo/x", stream: true }));
    const { db } = world.gateway.context;
    const hold = (pool: string, group: string | null) =>
      db.pool.query(
        `insert into hold (account_id, id, amount, owner, expires_at, pool, pool_group)
         values ($1, gen_random_uuid(), 0, (select id from replica limit 1), now() + interval '1 minute', $2, $3)`,
        [account.accountId, pool, group],
      );
    await Promise.all([hold("speech", "audio"), hold("transcription", "audio")]);
    for (const kind of ["image", "video", "video", "video"] as const) await newJob(world.gateway, account, { kind }); // the last one waits
    const answered = await limitsOf(account);
    await db.pool.query("delete from hold where account_id = $1", [account.accountId]);
    expect(await limitsOf(account)).toMatchObject({ rpm_used: 7, rpm_remaining: 113, used_today: 7, has_credits: true, tier: 1 });
    expect(answered.concurrent).toEqual({ image: { used: 1, limit: 5 }, video: { used: 2, limit: 2 }, audio: { used: 2, limit: 10 } });
    expect(Date.parse(answered.resets_at)).toBeGreaterThan(Date.now());
    await endJobsOf(world.gateway, account);
  });

  minuteTest("at tier 4 images and videos use one pool", async () => {
    const account = await world.account({ deposit: "1000" });
    for (const kind of ["image", "video", "video"] as const) await newJob(world.gateway, account, { kind });
    const { concurrent } = await limitsOf(account);
    expect([concurrent.image, concurrent.video]).toEqual([
      { used: 3, limit: 38 },
      { used: 3, limit: 38 },
    ]);
    await endJobsOf(world.gateway, account);
  });
});

minuteTest("a deposit raises the limits at once", async () => {
  const account = await newcomer();
  await many(40, (n) => world.chat(account, { model: n % 2 ? "demo/x" : "demo/y" }));
  expect((await world.chat(account, { model: "demo/x" })).status).toBe(429);
  const { db } = world.gateway.context;
  await postEntry(db, { accountId: account.accountId, kind: "deposit", amount: parseUsd("50")!, ref: "test", at: new Date() });
  await expect.poll(async () => (await world.chat(account, { model: "demo/x" })).status).toBe(200);
  expect(await limitsOf(account)).toMatchObject({ rpm_limit: 300, tier: 2 });
});
