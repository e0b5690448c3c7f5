// POST /v1/chat/completions and the budget of the key that calls: caps lowered to what it can pay, and 402 key_limit_reached.
import { describe, expect, test } from "vitest";
import { makeKey } from "../../../src/accounts/keys.ts";
import { promptSize } from "../../../src/language/prompt-size.ts";
import { verifyChain } from "../../../src/ledger/verify.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";

const world = chatWorld([
  language("demo/chat", ["chat"]),
  language("demo/hanging", ["chat+sim-hang"]),
  language("demo/slow", ["chat+sim-slow-3000ms"]),
]);

const promptTokens = promptSize({ messages: hello }).tokensMax;
/** What a call with so many output tokens may cost at most, in 1e-8 USD. */
const bound = (outputTokens: number) => BigInt(Math.ceil((promptTokens * 500_000 + outputTokens * 1_500_000) / 10_000));
const usd = (amount: bigint) => Number(amount) / 1e8;

/** The account's default key gets the limit, in 1e-8 USD. */
async function limitKey({ accountId }: TestAccount, limit: bigint | null): Promise<void> {
  await world.gateway.context.db.pool.query("update key_budget set limit_amount = $2 where account_id = $1", [accountId, limit]);
}

async function budgetOf({ accountId }: TestAccount): Promise<{ spent: bigint; reserved: bigint }> {
  const { rows } = await world.gateway.context.db.pool.query(
    "select spent, reserved from key_budget where account_id = $1 order by key_id",
    [accountId],
  );
  return rows[0];
}

describe("200", () => {
  test("max_tokens is lowered to what the key can pay, upstream and in the headers; the key is charged what the account is", async () => {
    const account = await world.account();
    await limitKey(account, bound(40));
    const reply = await world.chat(account, { model: "demo/chat", max_tokens: 900 });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-max-tokens-clamped": "40", "x-svc-credits-have": String(usd(bound(40))) });
    expect(world.sent()[0]!.max_tokens).toBe(40);
    const { spent } = await world.gateway.balance(account);
    expect(spent).toBeGreaterThan(0);
    expect(await budgetOf(account)).toEqual({ spent: BigInt(Math.round(spent * 1e8)), reserved: 0n });
  });

  test("where the balance is less than the key's budget, the balance decides", async () => {
    const account = await world.account({ deposit: String(usd(bound(20))) });
    await limitKey(account, bound(40));
    const reply = await world.chat(account, { model: "demo/chat", max_tokens: 900 });
    expect(reply.headers).toMatchObject({ "x-svc-max-tokens-clamped": "20", "x-svc-credits-have": String(usd(bound(20))) });
  });

  test("another key of the account spends on, and a limit that is lifted lets the key spend again", async () => {
    const account = await world.account();
    await limitKey(account, 0n);
    const other = makeKey();
    await world.gateway.context.db.pool.query(
      "insert into api_key (account_id, hash, prefix, last4, name) values ($1, $2, $3, $4, 'other')",
      [account.accountId, other.hash, other.prefix, other.last4],
    );
    expect((await world.chat(account, { model: "demo/chat" })).status).toBe(402);
    expect((await world.chat({ ...account, key: other.secret }, { model: "demo/chat" })).status).toBe(200);
    await limitKey(account, null);
    expect((await world.chat(account, { model: "demo/chat" })).status).toBe(200);
  });
});

describe("402 key_limit_reached", () => {
  test("names the key masked, its limit, what is left and what is needed; nothing is charged, nothing is sent", async () => {
    const account = await world.account();
    const limit = bound(1) - 1n;
    await limitKey(account, limit);
    const reply = await world.chat(account, { model: "demo/chat" });
    expect(reply.status).toBe(402);
    expect(reply.json.error).toMatchObject({ type: "billing_error", code: "key_limit_reached", retryable: false, param: null });
    const { message } = reply.json.error;
    expect(message).toContain(`${account.key.slice(0, 8)}…${account.key.slice(-4)}`);
    expect(message).not.toContain(account.key.slice(8, 16));
    const [need, have] = [usd(bound(1)), usd(limit)];
    for (const figure of [need, have]) expect(message).toContain(figure.toFixed(8).replace(/0+$/, ""));
    expect(reply.json).toMatchObject({ need_usd: need, required: need, have_usd: have, balance: 20 });
    expect(reply.json).not.toHaveProperty("held_usd"); // which speaks of the whole account
    expect(reply.json.details).toEqual({ model: "demo/chat", tier: 1, affordable_max_tokens: 0 });
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
    expect(await world.logOf(reply)).toBeUndefined();
    expect(await budgetOf(account)).toEqual({ spent: 0n, reserved: 0n });
  });

  test("where both are too small it is the balance that is named", async () => {
    const account = await world.account({ deposit: "0.00000001" });
    await limitKey(account, 0n);
    expect((await world.chat(account, { model: "demo/chat" })).json.error.code).toBe("insufficient_credits");
  });

  test("a budget below what is spent leaves nothing, and the balance that is named stays the account's", async () => {
    const account = await world.account();
    await world.chat(account, { model: "demo/chat" });
    const { balance } = await world.gateway.balance(account);
    await limitKey(account, 1n);
    const reply = await world.chat(account, { model: "demo/chat" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    expect(reply.json).toMatchObject({ have_usd: 0, balance });
    expect(reply.json.error.message).not.toContain("-0");
    expect(reply.json.error.message).toMatch(/\b0(\.0+)? USD of it is left/);
  });

  test("calls in flight count: what they hold is not available to the key", async () => {
    const account = await world.account();
    await limitKey(account, bound(100) + bound(1) - 1n);
    const leave = new AbortController();
    const hanging = fetch(`${world.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo/hanging", messages: hello, max_tokens: 100, stream: true }), // a whole answer would be awaited
      signal: leave.signal,
    }).catch(() => undefined);
    await expect.poll(async () => (await budgetOf(account)).reserved).toBe(bound(100));
    const reply = await world.chat(account, { model: "demo/chat" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    expect(reply.json.have_usd).toBe(usd(bound(1) - 1n));
    leave.abort();
    await hanging;
    await expect.poll(async () => (await budgetOf(account)).reserved).toBe(0n);
    expect((await world.chat(account, { model: "demo/chat" })).status).toBe(200);
  });

  test("of 40 calls that come at once exactly 4 are admitted where the key can pay 4", async () => {
    const account = await world.account();
    await limitKey(account, bound(1) * 4n);
    const replies = await Promise.all(Array.from({ length: 40 }, () => world.chat(account, { model: "demo/slow", max_tokens: 1 })));
    expect(replies.filter(({ status }) => status === 402)).toHaveLength(36);
    expect((await verifyChain(world.gateway.context.db)).broken).toBeNull();
  });
});
