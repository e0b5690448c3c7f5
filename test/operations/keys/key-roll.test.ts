// POST /v1/auth/keys/{key}/roll and GET /v1/auth/keys/{key}/usage: a new secret for the same key, and what a key spent and has left.
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { startGateway as startServer, type Gateway as Server } from "../../../src/main.ts";
import { checkedRequest, type TestAccount } from "../../support/gateway.ts";
import { until } from "../../support/eventually.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["chat"]), language("demo/hanging", ["chat+sim-hang"])]);
let replica: Server;
beforeAll(async () => {
  replica = await startServer(readConfig({ PORT: "0" }), {
    databaseUrl: world.gateway.databaseUrl,
    catalog: world.gateway.context.catalog,
    log: pino({ level: "silent" }),
  });
});
afterAll(() => replica.stop());

interface Owner extends TestAccount {
  session: string;
}

async function owner(): Promise<Owner> {
  const account = await world.account();
  return { ...account, session: (await world.gateway.createSession(account)).token };
}

const ask = (method: string, path: string, key: string, body?: unknown) =>
  world.gateway.request(method, `/v1/auth/keys${path}`, { key, body });
const create = async ({ session }: Owner, fields: object = {}) => (await ask("POST", "", session, { name: "k", ...fields })).json;
const roll = ({ session }: Owner, key: string, body: object = {}) => ask("POST", `/${encodeURIComponent(key)}/roll`, session, body);
const works = async (key: string, url = world.gateway.url) => (await checkedRequest(url, "GET", "/v1/auth/keys", { key })).status;
const urls = () => [world.gateway.url, replica.url];
const soon = { interval: 20 };

describe("rolling a key", () => {
  test("shows a new secret; both work, of one record with one budget, and the list shows the new one", async () => {
    const account = await owner();
    const made = await create(account, { limit_usd: 3 });
    expect((await world.chat({ ...account, key: made.api_key }, { model: "demo/chat" })).status).toBe(200);
    const { status, json } = await roll(account, made.id);
    expect([status, json.id, json.name, json.masked]).toEqual([
      ...[200, made.id, "k"],
      `${json.api_key.slice(0, 8)}…${json.api_key.slice(-4)}`,
    ]);
    const graceMs = new Date(json.previous_secret_until).getTime() - Date.now();
    expect(Math.abs(graceMs - 86_400_000)).toBeLessThan(60_000);
    for (const key of [made.api_key, json.api_key])
      expect((await world.chat({ ...account, key }, { model: "demo/chat" })).status).toBe(200);
    for (const url of urls()) for (const key of [made.api_key, json.api_key]) expect(await works(key, url)).toBe(200);
    const [record] = (await ask("GET", "", account.session)).json.data;
    expect(record).toMatchObject({ id: made.id, masked: json.masked, limit_usd: 3, previous_secret_until: json.previous_secret_until });
    const { rows } = await world.gateway.context.db.pool.query("select spent from key_budget where key_id = $1", [made.id.slice(4)]);
    const { spent } = await world.gateway.balance(account);
    expect(Number(rows[0].spent) / 1e8).toBe(spent);
  });

  test("without grace the old secret is refused everywhere within a second", async () => {
    const account = await owner();
    const made = await create(account);
    for (const url of urls()) expect(await works(made.api_key, url)).toBe(200);
    const { json } = await roll(account, made.id, { grace_seconds: 0 });
    expect(json.previous_secret_until).toBeNull();
    for (const url of urls()) await expect.poll(() => works(made.api_key, url), soon).toBe(401);
    for (const url of urls()) expect(await works(json.api_key, url)).toBe(200);
  });

  test("once its grace is over the old secret is refused, also by a process that remembers it", async () => {
    const account = await owner();
    const made = await create(account);
    const { json } = await roll(account, made.id, { grace_seconds: 5 });
    for (const url of urls()) expect(await works(made.api_key, url)).toBe(200);
    await expect.poll(() => works(made.api_key)).toBe(401);
    expect(await works(made.api_key, replica.url)).toBe(401);
    expect((await ask("GET", "", account.session)).json.data[0].previous_secret_until).toBeNull();
    expect(await works(json.api_key)).toBe(200);
  });

  test("rolled again, the secret of before the last ends at once; a disabled or deleted key ends with both", async () => {
    const account = await owner();
    const made = await create(account);
    const second = (await roll(account, made.id)).json.api_key;
    const third = (await roll(account, made.id)).json.api_key;
    for (const url of urls()) await expect.poll(() => works(made.api_key, url), soon).toBe(401);
    for (const key of [second, third]) expect(await works(key)).toBe(200);
    await ask("PATCH", `/${made.id}`, account.session, { enabled: false });
    for (const url of urls()) for (const key of [second, third]) await expect.poll(() => works(key, url), soon).toBe(401);
    await ask("PATCH", `/${made.id}`, account.session, { enabled: true });
    for (const key of [second, third]) await expect.poll(() => works(key), soon).toBe(200);
    await ask("DELETE", `/${made.id}`, account.session);
    for (const url of urls()) for (const key of [second, third]) await expect.poll(() => works(key, url), soon).toBe(401);
  });

  test("twenty at once: each gets a secret, and the last two work", async () => {
    const account = await owner();
    const { id } = await create(account);
    const replies = await Promise.all(Array.from({ length: 20 }, () => roll(account, id)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    const states = await Promise.all(replies.map(({ json }) => works(json.api_key)));
    expect(states.filter((status) => status === 200)).toHaveLength(2);
  });

  test.each([[{ grace_seconds: -1 }], [{ grace_seconds: 604_801 }], [{ grace_seconds: 1.5 }], [{ grace_seconds: "1" }]])(
    "400 invalid_parameter: %j, and the secret stays",
    async (body) => {
      const account = await owner();
      const made = await create(account);
      const { status, json } = await roll(account, made.id, body);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "grace_seconds"]);
      expect(await works(made.api_key)).toBe(200);
    },
  );

  test("400 not_found: unknown, deleted, another account's", async () => {
    const [account, other] = [await owner(), await owner()];
    const gone = await create(account);
    await ask("DELETE", `/${gone.id}`, account.session);
    for (const key of ["key_999999", gone.id, (await create(other)).id]) {
      const { status, json } = await roll(account, key);
      expect([status, json.error.code]).toEqual([400, "not_found"]);
    }
  });
});

describe("the usage of a key", () => {
  const usage = (key: string, id: string) => ask("GET", `/${encodeURIComponent(id)}/usage`, key);

  test("says what was spent and is left, for its life and its period, and by day; exact", async () => {
    const account = await owner();
    const made = await create(account, { limit_usd: 2, limit_resets: "monthly", lifetime_limit_usd: 10 });
    for (let calls = 0; calls < 3; calls += 1) await world.chat({ ...account, key: made.api_key }, { model: "demo/chat" });
    const { spent } = await world.gateway.balance(account);
    const { status, json } = await usage(account.session, made.id);
    const left = (limit: number) => Math.round((limit - spent) * 1e8) / 1e8;
    expect([status, json]).toMatchObject([
      200,
      {
        ...{ object: "api_key_usage", id: made.id, reserved_usd: 0 },
        lifetime: { limit_usd: 10, spent_usd: spent, remaining_usd: left(10) },
        period: { resets: "monthly", limit_usd: 2, spent_usd: spent, remaining_usd: left(2) },
      },
    ]);
    const [starts, resets] = [new Date(json.period.starts_at), new Date(json.period.resets_at)];
    expect([starts.getUTCDate(), resets.getUTCDate(), (resets.getUTCMonth() + 11) % 12]).toEqual([1, 1, starts.getUTCMonth()]);
    expect(json.days).toHaveLength(30);
    expect(json.days[0]).toMatchObject({ requests: 3, cost_usd: spent });
    expect(json.days[1]).toMatchObject({ requests: 0, cost_usd: 0 });
  });

  test("what a call holds is reserved while it is in flight, and is not there to spend; then it is given back", async () => {
    const account = await owner();
    const made = await create(account, { limit_usd: 2, limit_resets: "daily", lifetime_limit_usd: 10 });
    const leaving = new AbortController();
    const { signal } = leaving;
    const body = { model: "demo/hanging", messages: hello, stream: true };
    const call = world.gateway.request("POST", "/v1/chat/completions", { key: made.api_key, body, signal });
    const ended = expect(call).rejects.toThrow();
    const held = async () => (await usage(account.session, made.id)).json.reserved_usd as number;
    await until(async () => (await held()) > 0);
    const { json } = await usage(account.session, made.id);
    const left = (limit: number) => Math.round((limit - json.reserved_usd) * 1e8) / 1e8;
    expect(json).toMatchObject({
      lifetime: { spent_usd: 0, remaining_usd: left(10) },
      period: { spent_usd: 0, remaining_usd: left(2) },
    });
    leaving.abort();
    await ended;
    await until(async () => (await held()) === 0);
  });

  const [hourMs, dayMs] = [3_600_000, 86_400_000];
  test.each([
    ["hourly", hourMs],
    ["daily", dayMs],
    ["weekly", 7 * dayMs],
  ])("the period of a limit that resets %s is the whole one of UTC that now is in", async (resets, lengthMs) => {
    const account = await owner();
    const made = await create(account, { limit_usd: 2, limit_resets: resets });
    const before = Date.now();
    await world.chat({ ...account, key: made.api_key }, { model: "demo/chat" });
    const { period } = (await usage(account.session, made.id)).json;
    const [starts, ends] = [Date.parse(period.starts_at), Date.parse(period.resets_at)];
    expect(ends - starts).toBe(lengthMs);
    expect(starts).toBeLessThanOrEqual(Date.now());
    expect(ends).toBeGreaterThan(before);
    expect(starts % (resets === "hourly" ? hourMs : dayMs)).toBe(0);
    if (resets === "weekly") expect(new Date(starts).getUTCDay()).toBe(1);
    const { spent } = await world.gateway.balance(account);
    if (starts <= before) expect(period.spent_usd).toBe(spent); // else the call may have been in the period before
    expect(period).toMatchObject({ resets, limit_usd: 2, remaining_usd: Math.round((2 - period.spent_usd) * 1e8) / 1e8 });
  });

  test("without limits, by any key of the account, and by the masked form", async () => {
    const account = await owner();
    const made = await create(account);
    const { json } = await usage(account.key, made.masked);
    expect(json).toMatchObject({ id: made.id, lifetime: { limit_usd: null, spent_usd: 0, remaining_usd: null }, period: null });
  });

  test("400 not_found: unknown, deleted, another account's", async () => {
    const [account, other] = [await owner(), await owner()];
    const gone = await create(account);
    await world.chat({ ...account, key: gone.api_key }, { model: "demo/chat" });
    await ask("DELETE", `/${gone.id}`, account.session);
    for (const key of ["key_999999", gone.id, gone.masked, (await create(other)).id]) {
      const { status, json } = await usage(account.session, key);
      expect([status, json.error.code]).toEqual([400, "not_found"]);
    }
  });
});
