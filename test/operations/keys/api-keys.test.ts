// The four operations on API keys over HTTP: their replies, their effects, and concurrent calls.
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isKeyShaped, makeKey } from "../../../src/accounts/keys.ts";
import { readConfig } from "../../../src/config.ts";
import { startGateway as startServer, type Gateway as Server } from "../../../src/main.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { checkedRequest, type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";

let gateway: Gateway;
let replica: Server;
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  replica = await startServer(readConfig({ PORT: "0" }), {
    databaseUrl: gateway.databaseUrl,
    catalog: gateway.context.catalog,
    log: pino({ level: "silent" }),
  });
});
afterAll(async () => {
  await replica.stop();
  await gateway.stop();
});

interface Owner extends TestAccount {
  session: string;
}

async function owner(): Promise<Owner> {
  const account = await gateway.createAccount({ deposit: "20" });
  return { ...account, session: (await gateway.createSession(account)).token };
}

const ask = (method: string, path: string, { session }: { session: string }, body?: unknown) =>
  gateway.request(method, `/v1/auth/keys${path}`, { key: session, body });
const create = (account: Owner, body: object = { name: "laptop" }) => ask("POST", "", account, body);
const change = (account: Owner, key: string, body: object) => ask("PATCH", `/${encodeURIComponent(key)}`, account, body);
const remove = (account: Owner, key: string) => ask("DELETE", `/${encodeURIComponent(key)}`, account);
const listed = async (account: Owner): Promise<any[]> => (await ask("GET", "", account)).json.data;
const defaults = async (account: Owner) => (await listed(account)).filter((key) => key.is_default);
const works = async (key: string, url = gateway.url) => (await checkedRequest(url, "GET", "/v1/auth/keys", { key })).status;
const masked = (key: string) => `${key.slice(0, 8)}…${key.slice(-4)}`;
/** Within a second, everywhere. */
const soon = { interval: 20 };

/** Another key of the account with the same masked form. */
async function twinOf(account: Owner, key: string): Promise<void> {
  const { hash } = makeKey();
  await gateway.context.db.pool.query("insert into api_key (account_id, hash, prefix, last4, name) values ($1, $2, $3, $4, 'twin')", [
    account.accountId,
    hash,
    key.slice(0, 8),
    key.slice(-4),
  ]);
}

describe("POST /v1/auth/keys", () => {
  test("shows the secret once, and the key works at once", async () => {
    const account = await owner();
    const { status, json, headers } = await create(account);
    expect(status).toBe(200);
    expect(isKeyShaped(json.api_key)).toBe(true);
    expect(json).toMatchObject({ name: "laptop", masked: masked(json.api_key), is_default: false, limit_usd: null });
    expect(headers["cache-control"]).toBe("no-store");
    expect(await works(json.api_key)).toBe(200);
    expect((await gateway.request("GET", "/v1/auth/keys", { key: json.api_key })).text).not.toContain(json.api_key.slice(8, 30));
  });

  test("without a default it becomes the default; of twenty at once exactly one", async () => {
    const account = await owner();
    await gateway.context.db.pool.query("update api_key set deleted_at = now() where account_id = $1", [account.accountId]);
    const made = await Promise.all(Array.from({ length: 20 }, () => create(account)));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    expect(made.filter(({ json }) => json.is_default)).toHaveLength(1);
    expect(await listed(account)).toHaveLength(20);
  });

  test.each([
    [{}, "missing_parameter"],
    [{ name: "" }, "invalid_parameter"],
    [{ name: "  " }, "invalid_parameter"],
    [{ name: "x".repeat(101) }, "invalid_parameter"],
    [{ name: 5 }, "invalid_parameter"],
  ])("400 %j: %s", async (body, code) => {
    const { status, json } = await create(await owner(), body);
    expect([status, json.error.code, json.error.param]).toEqual([400, code, "name"]);
  });

  test("a name of 100 characters outside the basic plane is kept", async () => {
    const name = "🔑".repeat(100);
    expect((await create(await owner(), { name })).json.name).toBe(name);
  });
});

describe("GET /v1/auth/keys", () => {
  test("newest first, by id where two were made at once; deleted ones are gone", async () => {
    const account = await owner();
    const names = ["a", "b", "c", "d"];
    const ids: string[] = [];
    for (const name of names) ids.push((await create(account, { name })).json.id);
    await gateway.context.db.pool.query("update api_key set created_at = '2026-01-01' where account_id = $1 and name in ('b', 'c')", [
      account.accountId,
    ]);
    await remove(account, ids[0]!);
    expect((await listed(account)).map(({ name }) => name)).toEqual(["d", "Default", "c", "b"]);
  });

  test("a record says what the key is, never what it reads", async () => {
    const account = await owner();
    expect((await ask("GET", "", account)).json).toEqual({
      object: "list",
      data: [
        {
          ...{ id: expect.stringMatching(/^key_\d+$/), object: "api_key", name: "Default", masked: masked(account.key), enabled: true },
          ...{
            is_default: true,
            created_at: expect.any(String),
            created_by: null,
            last_used_at: null,
            usage_usd: 0,
            limit_usd: null,
            limit_resets: "never",
            lifetime_limit_usd: null,
            scopes: [],
            ...{
              expires_at: null,
              allowed_models: null,
              allowed_operations: null,
              allowed_networks: null,
              rpm: null,
              tpm: null,
              stream_usage: false,
              response_cache_seconds: 0,
            },
            previous_secret_until: null,
          },
        },
      ],
      has_more: false,
    });
  });
});

describe("PATCH /v1/auth/keys/{key}", () => {
  test.each(["id", "masked form", "key itself"])("by its %s", async (form) => {
    const account = await owner();
    const { json: made } = await create(account);
    const key = { id: made.id, "masked form": made.masked, "key itself": made.api_key }[form] as string;
    const { status, json } = await change(account, key, { name: "desk" });
    expect([status, json.id, json.name, json.enabled]).toEqual([200, made.id, "desk", true]);
  });

  test("only what is given changes; an empty change answers with the record", async () => {
    const account = await owner();
    const { id } = (await create(account, { name: "a", limit_usd: 3 })).json;
    const before = (await listed(account))[0];
    expect((await change(account, id, {})).json).toEqual(before);
    expect((await change(account, id, { name: "b" })).json).toEqual({ ...before, name: "b" });
    expect((await change(account, id, { enabled: false })).json).toEqual({ ...before, name: "b", enabled: false });
    expect((await change(account, id, { limit_usd: 0.5 })).json).toMatchObject({ name: "b", enabled: false, limit_usd: 0.5 });
    const none = { name: "b", limit_usd: null, lifetime_limit_usd: null };
    expect((await change(account, id, { enabled: true, limit_usd: null })).json).toEqual({ ...before, ...none });
  });

  test("400 invalid_parameter: more than 8 decimals, and nothing of the change is made", async () => {
    const account = await owner();
    const { id } = (await create(account)).json;
    const { status, json } = await change(account, id, { name: "other", limit_usd: 1e-9 });
    expect([status, json.error.param]).toEqual([400, "limit_usd"]);
    expect((await listed(account))[0]).toMatchObject({ name: "laptop", limit_usd: null });
  });

  test("400 not_found in one sentence: unknown, malformed, deleted and another account's alike", async () => {
    const account = await owner();
    const other = await owner();
    const theirs = (await listed(other))[0];
    const gone = (await create(account)).json;
    await remove(account, gone.id);
    const forms = ["key_999999999", "key_0", "nonsense", makeKey().secret, "svc_AAAA…BBBB", "key_99999999999999999999"];
    const keys = [...forms, theirs.id, theirs.masked, other.key, gone.id, gone.masked, gone.api_key];
    for (const key of keys) {
      for (const { status, json } of [await change(account, key, { enabled: false }), await remove(account, key)]) {
        expect([key, status, json.error.code, json.error.message]).toEqual([key, 400, "not_found", "API key not found."]);
      }
    }
    expect(await works(other.key)).toBe(200);
    expect(await listed(other)).toHaveLength(1);
  });

  test("400 invalid_parameter: a masked form that fits two keys", async () => {
    const account = await owner();
    await twinOf(account, account.key);
    for (const { status, json } of [
      await change(account, masked(account.key), { enabled: false }),
      await remove(account, masked(account.key)),
    ]) {
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "key"]);
      expect(json.error.message).toMatch(/two keys/);
    }
    expect(await works(account.key)).toBe(200);
  });

  test("another account's key of the same masked form is never meant", async () => {
    const account = await owner();
    const other = await owner();
    await twinOf(other, account.key);
    expect((await change(account, masked(account.key), { name: "mine" })).json.name).toBe("mine");
    expect((await listed(other)).map(({ name }) => name)).not.toContain("mine");
  });

  test("a disabled default stays the default; enabled again it works again", async () => {
    const account = await owner();
    expect((await change(account, account.key, { enabled: false })).json).toMatchObject({ enabled: false, is_default: true });
    await expect.poll(() => works(account.key), soon).toBe(401);
    expect((await change(account, account.key, { enabled: true })).json).toMatchObject({ enabled: true, is_default: true });
    await expect.poll(() => works(account.key), soon).toBe(200);
  });
});

describe("DELETE /v1/auth/keys/{key}", () => {
  test("of a key that is not the default: new_default is null, and a second time it is not_found", async () => {
    const account = await owner();
    const { id, api_key } = (await create(account)).json;
    expect((await remove(account, id)).json).toEqual({ deleted: true, id, new_default: null });
    expect((await remove(account, id)).json.error.code).toBe("not_found");
    await expect.poll(() => works(api_key), soon).toBe(401);
    expect((await gateway.request("GET", "/v1/auth/keys", { key: api_key })).json.error.code).toBe("invalid_api_key");
  });

  test("of the default: the newest enabled key takes its place, named masked", async () => {
    const account = await owner();
    await create(account, { name: "older" });
    const { json: next } = await create(account, { name: "newer" });
    const { json: newest } = await create(account, { name: "newest, disabled" });
    await change(account, newest.id, { enabled: false });
    const deleted = (await remove(account, account.key)).json;
    expect(deleted).toEqual({ deleted: true, id: expect.any(String), new_default: next.masked });
    expect(await defaults(account)).toEqual([expect.objectContaining({ id: next.id })]);
  });

  test("of the default with no enabled key left: a new one is made and shown once", async () => {
    const account = await owner();
    const { json: disabled } = await create(account);
    await change(account, disabled.id, { enabled: false });
    const { json } = await remove(account, account.key);
    expect(isKeyShaped(json.new_default_key)).toBe(true);
    expect(json.new_default).toBe(masked(json.new_default_key));
    expect(await works(json.new_default_key)).toBe(200);
    expect(await defaults(account)).toEqual([expect.objectContaining({ name: "Default", masked: json.new_default, enabled: true })]);
  });

  test("all keys at once, each twice: each is deleted once, and exactly one default remains", async () => {
    const account = await owner();
    const ids = [(await listed(account))[0].id];
    for (let made = 0; made < 9; made++) ids.push((await create(account)).json.id);
    const replies = await Promise.all([...ids, ...ids].map((id) => remove(account, id)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(replies.filter(({ json }) => json.error?.code === "not_found")).toHaveLength(10);
    expect(replies.filter(({ json }) => json.new_default_key !== undefined)).toHaveLength(1);
    expect(await defaults(account)).toHaveLength(1);
    expect(await listed(account)).toHaveLength(1);
  });

  test("made and deleted at once: exactly one default remains", async () => {
    const account = await owner();
    const id = (await listed(account))[0].id;
    const making = Array.from({ length: 10 }, () => create(account));
    const removed = await Promise.all([remove(account, id), remove(account, id)]);
    await Promise.all(making);
    expect(await defaults(account)).toHaveLength(1);
    const issued = removed.filter(({ json }) => json.new_default_key !== undefined).length; // where the removal came before every other
    expect(await listed(account)).toHaveLength(10 + issued);
  });
});

describe("two gateways on one database", () => {
  test.each([
    ["disabled", (account: Owner, id: string) => change(account, id, { enabled: false })],
    ["deleted", (account: Owner, id: string) => remove(account, id)],
  ])("a key %s on one is dead on the other within a second", async (_, revoke) => {
    const account = await owner();
    const { api_key, id } = (await create(account)).json;
    expect([await works(api_key), await works(api_key, replica.url)]).toEqual([200, 200]); // both remember it now
    expect((await revoke(account, id)).status).toBe(200);
    await expect.poll(() => works(api_key, replica.url), soon).toBe(401);
    await expect.poll(() => works(api_key), soon).toBe(401);
  });
});

test("an API key may list and change nothing: 403 session_required", async () => {
  const account = await owner();
  const asKey = { session: account.key };
  for (const reply of [
    await ask("POST", "", asKey, { name: "k" }),
    await ask("PATCH", "/key_1", asKey, {}),
    await ask("DELETE", "/key_1", asKey),
  ])
    expect([reply.status, reply.json.error.code]).toEqual([403, "session_required"]);
  expect(await listed(account)).toHaveLength(1);
});
