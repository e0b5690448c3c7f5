// The budgets of a key over HTTP: for its life and for each period, set, changed and refused.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["chat"])]);

interface Owner extends TestAccount {
  session: string;
}

async function owner(): Promise<Owner> {
  const account = await world.account();
  return { ...account, session: (await world.gateway.createSession(account)).token };
}

const create = ({ session }: Owner, body: object) =>
  world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "k", ...body } });
const change = ({ session }: Owner, id: string, body: object) =>
  world.gateway.request("PATCH", `/v1/auth/keys/${id}`, { key: session, body });
const listed = async ({ session }: Owner): Promise<any[]> =>
  (await world.gateway.request("GET", "/v1/auth/keys", { key: session })).json.data;
const limitsOf = ({ limit_usd, limit_resets, lifetime_limit_usd }: Record<string, unknown>) => [
  limit_usd,
  limit_resets,
  lifetime_limit_usd,
];

describe("what a key may spend", () => {
  test.each([0, 0.00000001, 5, 59999999.99999999])("limit_usd %d is kept exactly", async (limit_usd) => {
    const account = await owner();
    expect((await create(account, { limit_usd })).json.limit_usd).toBe(limit_usd);
    expect((await listed(account))[0].limit_usd).toBe(limit_usd);
  });

  test.each([0.000000001, 1.123456789, -1, 60000001, "5"])("400 invalid_parameter: limit_usd %j, and no key is made", async (limit_usd) => {
    const account = await owner();
    const { status, json } = await create(account, { limit_usd });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "limit_usd"]);
    expect(await listed(account)).toHaveLength(1);
  });

  test.each([
    [{}, [null, "never", null]],
    [{ limit_usd: 5 }, [5, "never", 5]],
    [{ lifetime_limit_usd: 5 }, [5, "never", 5]],
    [{ limit_usd: 5, lifetime_limit_usd: 5, limit_resets: "never" }, [5, "never", 5]],
    [{ limit_usd: 5, limit_resets: "daily" }, [5, "daily", null]],
    [{ limit_usd: 5, limit_resets: "monthly", lifetime_limit_usd: 100 }, [5, "monthly", 100]],
    [{ limit_resets: "hourly" }, [null, "hourly", null]],
    [{ limit_usd: 0, limit_resets: "weekly", lifetime_limit_usd: 0.00000001 }, [0, "weekly", 0.00000001]],
  ])("created with %j it has %j", async (sent, shown) => {
    const account = await owner();
    const { json } = await create(account, sent);
    expect([json.limit_usd, json.limit_resets]).toEqual(shown.slice(0, 2));
    expect(limitsOf((await listed(account))[0])).toEqual(shown);
  });

  test("a change keeps what it doesn't name: the only limit becomes the recurring one, and back again the smaller one stays", async () => {
    const account = await owner();
    const { id } = (await create(account, { limit_usd: 5 })).json;
    const after = async (body: object) => limitsOf((await change(account, id, body)).json);
    expect(await after({ limit_resets: "daily" })).toEqual([5, "daily", null]);
    expect(await after({ lifetime_limit_usd: 100 })).toEqual([5, "daily", 100]);
    expect(await after({ limit_resets: "monthly", limit_usd: 50 })).toEqual([50, "monthly", 100]);
    expect(await after({ name: "other" })).toEqual([50, "monthly", 100]);
    expect(await after({ limit_resets: "never" })).toEqual([50, "never", 50]);
    expect(await after({ limit_usd: null })).toEqual([null, "never", null]);
  });

  test.each([
    [{ limit_usd: 5, lifetime_limit_usd: 6 }, "lifetime_limit_usd"],
    [{ lifetime_limit_usd: 0.123456789 }, "lifetime_limit_usd"],
    [{ lifetime_limit_usd: -1 }, "lifetime_limit_usd"],
    [{ limit_resets: "yearly" }, "limit_resets"],
  ])("400 invalid_parameter: %j", async (sent, param) => {
    const account = await owner();
    for (const reply of [await create(account, sent), await change(account, (await create(account, {})).json.id, sent)])
      expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});

describe("402 key_limit_reached", () => {
  test.each([
    ["hourly", "hour"],
    ["daily", "day"],
    ["weekly", "week"],
    ["monthly", "month"],
  ])("a budget that resets %s names its period and when it begins anew", async (limit_resets, period) => {
    const account = await owner();
    const { api_key, masked } = (await create(account, { limit_usd: 0.00000001, limit_resets, lifetime_limit_usd: 3 })).json;
    const reply = await world.chat({ ...account, key: api_key }, { model: "demo/chat" });
    expect([reply.status, reply.json.error.code]).toEqual([402, "key_limit_reached"]);
    const { rows } = await world.gateway.context.db.pool.query<{ ends: Date }>(
      "select budget_period_ends($1, null, clock_timestamp()) as ends",
      [period],
    );
    expect(reply.json.resets_at).toBe(rows[0]!.ends.toISOString());
    for (const part of [masked, `in each ${period}`, reply.json.resets_at]) expect(reply.json.error.message).toContain(part);
    await world.expectUntouched(account);
  });

  test("the budget of the key's life has no such time, also beside a recurring one that has more", async () => {
    const account = await owner();
    const { api_key } = (await create(account, { limit_usd: 3, limit_resets: "daily", lifetime_limit_usd: 0.00000001 })).json;
    const reply = await world.chat({ ...account, key: api_key }, { model: "demo/chat" });
    expect([reply.status, reply.json.error.code, "resets_at" in reply.json]).toEqual([402, "key_limit_reached", false]);
    expect(reply.json.error.message).toContain("in all");
  });

  test("a budget that is set to less than its period spent blocks at once; raised, it pays again", async () => {
    const account = await owner();
    const { api_key, id } = (await create(account, { limit_usd: 1, limit_resets: "daily" })).json;
    const chat = async () => (await world.chat({ ...account, key: api_key }, { model: "demo/chat" })).status;
    expect(await chat()).toBe(200);
    await change(account, id, { limit_usd: 0.00000001 });
    expect(await chat()).toBe(402);
    await change(account, id, { limit_usd: 1 });
    expect(await chat()).toBe(200);
  });
});
