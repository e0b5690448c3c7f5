// POST /v1/quote: what each paid operation reserves, before it is called, and that asking changes nothing.
import { describe, expect, test } from "vitest";
import { operations, type OperationId } from "../../../generated/operations.ts";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { parseUsd } from "../../../src/money.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { operation, schema } from "../../contract/read-contract.ts";
import { hello } from "../chat/chat-gateway.ts";
import { bodyOf, quoteWorld } from "./quote-world.ts";

const world = quoteWorld();
const quotable = schema("QuotedOperation").enum as OperationId[];
const chat = (more: object = {}) => ({ model: "demo/chat", messages: hello, max_tokens: 1000, ...more });
/** Every row of the rate limits, and what the account has. */
const stateOf = async ({ accountId }: TestAccount) => {
  const { pool } = world.gateway.context.db;
  const of = (sql: string) => pool.query(sql, [accountId]).then(({ rows }) => rows);
  return {
    windows: await of("select bucket, n from rate_window where account_id = $1 and bucket <> 'reads' order by 1"),
    balance: await of("select available, reserved, spent from balance where account_id = $1"),
    holds: await of("select id from hold where account_id = $1"),
    entries: await of("select count(*) from ledger_entry where account_id = $1"),
    jobs: await of("select count(*) from media_job where account_id = $1"),
    budgets: await of("select key_id, spent, reserved from key_budget where account_id = $1 order by 1"),
  };
};

test("every paid operation of the contract can be quoted, with each kind of body that it takes", () => {
  const paid = (Object.keys(operations) as OperationId[])
    .map(operation)
    .filter(({ responses }) => /^`key_limit_reached`/m.test(responses["402"]?.description ?? ""));
  const taking = (type: string) =>
    paid
      .filter(({ requestBody }) => type in requestBody!.content)
      .map(({ operationId }) => operationId)
      .sort();
  expect(taking("application/json")).toEqual([...quotable].sort());
  expect(taking("multipart/form-data")).toEqual([...(schema("QuotedForm").enum as string[])].sort());
  expect(new Set([...taking("application/json"), ...taking("multipart/form-data")]).size).toBe(paid.length);
});

describe("200", () => {
  test.each(quotable)("%s: the quote is the hold of the call that follows it, and changed nothing", async (operation) => {
    const account = await world.account();
    const body = bodyOf(world, operation);
    const before = await stateOf(account);
    const { status, json } = await world.quote(account, operation, body);
    expect([status, json.operation, json.admitted, json.queued]).toEqual([200, operation, true, false]);
    expect(await stateOf(account)).toEqual(before);
    expect(world.gateway.simulator.calls()).toEqual([]);

    const reply = await world.call(account, operation, body);
    expect(reply.status).toBeLessThan(300);
    const { charge, log } = await world.receiptOf(account, reply);
    expect(json).toMatchObject({ reserve_usd: charge.reserved_usd, most_usd: charge.reserved_usd, model: log.model });
    expect(json.reserve_usd).toBeGreaterThan(0);
    expect(json.likely.cost_usd).toBeLessThanOrEqual(json.most_usd);
    expect(json.routes[0]).toEqual({ model: log.model, layer: 0, available: true });
    world.gateway.simulator.reset();
  });

  test.each(["createImage", "createVideo", "createSpeech", "createMusic", "createSoundEffect", "designVoice"] as const)(
    "%s costs what is ordered: the likely cost is the charge",
    async (operation) => {
      const account = await world.account();
      const { json } = await world.quote(account, operation, bodyOf(world, operation));
      const { charge } = await world.receiptOf(account, await world.call(account, operation, bodyOf(world, operation)));
      expect(json.likely).toEqual({ cost_usd: charge.cost_usd, basis: "ordered", input_tokens: null, output_tokens: null });
      world.gateway.simulator.reset();
    },
  );

  test("a recording at an address: the least, since no file is loaded", async () => {
    const { json } = await world.quote(await world.account(), "createTranscription", {
      model: "demo/scribe",
      audio_url: world.address(200),
    });
    expect(json).toMatchObject({ reserve_usd: 0.006, likely: { cost_usd: 0.006, basis: "least" } });
  });

  test("a balance that pays for a part lowers the cap, as the call that follows says", async () => {
    const account = await world.account({ deposit: "0.0005" });
    const { json } = await world.quote(account, "createChatCompletion", chat());
    expect(json).toMatchObject({ admitted: true, max_tokens_clamped: expect.any(Number) });
    expect(json.reserve_usd).toBeLessThan(json.most_usd);
    const reply = await world.call(account, "createChatCompletion", chat());
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBe(String(json.max_tokens_clamped));
    expect((await world.receiptOf(account, reply)).charge.reserved_usd).toBe(json.reserve_usd);
    world.gateway.simulator.reset();
  });

  test("the likely cost rests on the account's own answers once there are some", async () => {
    const account = await world.account();
    const first = await world.quote(account, "createChatCompletion", chat());
    expect(first.json.likely).toMatchObject({ basis: "usual_answer", output_tokens: 300 });
    const { json } = await world.call(account, "createChatCompletion", chat({ max_tokens: 5 }));
    const { json: next } = await world.quote(account, "createChatCompletion", chat());
    const input = next.likely.input_tokens;
    expect(next.likely).toMatchObject({ basis: "recent_calls", output_tokens: json.usage.completion_tokens });
    expect(next.likely.cost_usd).toBeCloseTo((input * 0.5 + json.usage.completion_tokens * 1.5) / 1e6, 8);
    world.gateway.simulator.reset();
  });

  test("routes in their order, with those that are passed over now; no provider is named", async () => {
    const { breakers } = world.gateway.context;
    const first = world.gateway.context.catalog.models.get("demo/chat")!.candidates[0]!.routeId;
    for (let failed = 0; failed < 5; failed++) breakers.failed(first);
    const { json, text } = await world.quote(await world.account(), "createChatCompletion", chat());
    expect(json.routes).toEqual([
      { model: "demo/chat", layer: 0, available: false },
      { model: "demo/chat", layer: 1, available: true },
      { model: "demo/other", layer: 3, available: true },
    ]);
    expect(text).not.toMatch(/north|south/);
    expect(breakers.admits(first)).toBe(false);
    breakers.answered(first);
  });
});

describe("what would refuse the request, and why", () => {
  test("the balance", async () => {
    const account = await world.account({ deposit: "0.00001" });
    const { json } = await world.quote(account, "createImage", bodyOf(world, "createImage"));
    const refused = await world.call(account, "createImage", bodyOf(world, "createImage"));
    expect(refused.status).toBe(402);
    expect(json).toMatchObject({ admitted: false, reserve_usd: 0, most_usd: 0.12, least_usd: 0.12 });
    expect(json.checks.balance).toEqual({
      ...{ ok: false, code: "insufficient_credits", available_usd: 0.00001 },
      reason: refused.json.error.message,
    });
    expect(json.checks).toMatchObject({ rate_limits: { ok: true }, slots: { ok: true }, key_budget: { ok: true, left_usd: null } });
  });

  test("the key's budget", async () => {
    const account = await world.account();
    const { secret } = await createKey(world.gateway.context.db, {
      ...{ accountId: account.accountId, name: "small", at: new Date(), budget: { limit: parseUsd("0.00000001") as bigint } },
    });
    const { json } = await world.quote({ key: secret }, "createChatCompletion", chat());
    const refused = await world.call({ key: secret }, "createChatCompletion", chat());
    expect([json.admitted, json.checks.balance.ok, json.checks.key_budget]).toEqual([
      ...[false, true],
      { ok: false, code: "key_limit_reached", reason: refused.json.error.message, left_usd: 0.00000001 },
    ]);
  });
});

test("a minute that ends while its counts are awaited refuses no quote", async () => {
  const account = await world.account();
  const { pool } = world.gateway.context.db;
  await pool.query(`create sequence minute_ends;
    create function minute_ends() returns trigger language plpgsql as $$ begin
      if new.account_id = ${account.accountId} and nextval('minute_ends') = 1 then
        raise exception 'the minute ended while its counts were awaited' using errcode = 'serialization_failure';
      end if;
      return new;
    end $$;
    create trigger minute_ends before insert on rate_window for each row execute function minute_ends()`);
  try {
    const { status, json } = await world.quote(account, "createChatCompletion", chat());
    expect([status, json.admitted]).toEqual([200, true]);
    const { rows } = await pool.query("select last_value > 1 as again from minute_ends");
    expect(rows).toEqual([{ again: true }]);
  } finally {
    await pool.query("drop trigger minute_ends on rate_window; drop function minute_ends; drop sequence minute_ends");
  }
});

describe("many quotes beside many calls", () => {
  test("the windows count the calls alone, and the balance is what the calls cost", async () => {
    const account = await world.account();
    const each = 12;
    const quotes = Array.from({ length: 3 * each }, () => world.quote(account, "createChatCompletion", chat()));
    const images = Array.from({ length: each }, () => world.quote(account, "createImage", bodyOf(world, "createImage")));
    const calls = Array.from({ length: each }, () => world.call(account, "createChatCompletion", chat({ max_tokens: 5 })));
    const [quoted, pictured, answers] = await Promise.all([Promise.all(quotes), Promise.all(images), Promise.all(calls)]);
    for (const { status, json } of [...quoted, ...pictured]) expect([status, json.admitted]).toEqual([200, true]);
    for (const { status } of answers) expect(status).toBe(200);
    const spent = answers.reduce((sum, { json }) => sum + Math.round(json.usage.cost * 1e8), 0);
    await expect.poll(() => world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: spent / 1e8 });
    const { windows, jobs } = await stateOf(account);
    const of = (name: string) => windows.filter(({ bucket }) => bucket === name).reduce((sum, { n }) => sum + Number(n), 0);
    const buckets = new Set(windows.map(({ bucket }) => bucket as string));
    expect([...buckets].filter((bucket) => /image/.test(bucket))).toEqual([]);
    expect([...buckets].filter((bucket) => /demo\/chat/.test(bucket)).map(of)).toEqual([each]);
    expect(jobs).toEqual([{ count: 0n }]);
    world.gateway.simulator.reset();
  });
});
