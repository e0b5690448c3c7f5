// What a key is bound to, over HTTP: models, operations, networks, rates and its expiry; how a policy is set, and what refuses it. Scopes:
// key-scopes.test.ts.
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Operation, operations } from "../../../generated/operations.ts";
import { readConfig } from "../../../src/config.ts";
import { startGateway as startServer, type Gateway as Server } from "../../../src/main.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { shownWord } from "../../support/error-word.ts";
import { checkedRequest, type TestAccount } from "../../support/gateway.ts";
import { hello } from "../chat/chat-gateway.ts";
import { bodyOf, formOf, quoteWorld } from "../quotes/quote-world.ts";

const world = quoteWorld({ env: { SVC_TRUSTED_PROXIES: "1" } });
let replica: Server;
beforeAll(async () => {
  replica = await startServer(readConfig({ PORT: "0" }), {
    databaseUrl: world.gateway.databaseUrl,
    catalog: world.gateway.context.catalog,
    log: pino({ level: "silent" }),
  });
});
afterAll(() => replica.stop());

interface Bound extends TestAccount {
  session: string;
  keyId: string;
}

/** An account, and a key of it with these policies. */
async function bound(policy: object): Promise<Bound> {
  const account = await world.account();
  const session = (await world.gateway.createSession(account)).token;
  const { status, json } = await world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "bound", ...policy } });
  expect([status, json.error]).toEqual([200, undefined]);
  return { ...account, session, key: json.api_key, keyId: json.id };
}
const change = ({ session }: Bound, keyId: string, policy: object) =>
  world.gateway.request("PATCH", `/v1/auth/keys/${keyId}`, { key: session, body: policy });
const chat = (account: { key: string }, model = "demo/chat", headers: Record<string, string> = {}) =>
  world.gateway.request("POST", "/v1/chat/completions", { key: account.key, body: { model, messages: hello, max_tokens: 5 }, headers });
const keys = (key: string, address?: string, url = world.gateway.url) =>
  checkedRequest(url, "GET", "/v1/auth/keys", { key, ...(address && { headers: { "x-forwarded-for": address } }) });
const codeOf = ({ status, json }: { status: number; json: any }) => [status, json.error?.code];
/** Everywhere. */
const soon = { interval: 20 };

describe("allowed_models", () => {
  const all: Operation[] = Object.values(operations);
  /** Counting tokens is free: it has no quote, and its own tests have this refusal. */
  const apart: readonly string[] = ["countMessageTokens", "countResponseTokens"];
  const naming = all.filter(({ id, errors }) => errors.includes("model_not_allowed") && !apart.includes(id));
  test("403 model_not_allowed on every operation that names a model, and on its quote; nothing is charged", async () => {
    const account = await bound({ allowed_models: ["demo/narrow"] });
    for (const { id, dialect, bodies } of naming.filter((operation) => operation.id !== "createQuote")) {
      const body = bodies.includes("application/json") ? bodyOf(world, id) : formOf(id);
      const reply = await world.call(account, id, body);
      const word = dialect === "rerank" ? "forbidden" : "model_not_allowed";
      expect([id, reply.status, shownWord(dialect, reply.json)]).toEqual([id, 403, word]);
      expect([id, ...codeOf(await world.quote(account, id, body))]).toEqual([id, 403, "model_not_allowed"]);
    }
    expect(await world.gateway.balance(account)).toEqual({ balance: 20, reserved: 0, spent: 0 });
  });

  test("the refusal names the model and the masked key; an alias is its model; vendor/* is every model of the vendor", async () => {
    const account = await bound({ allowed_models: ["demo/other"] });
    const { json } = await chat(account, "best");
    expect([json.error.code, json.error.param]).toEqual(["model_not_allowed", "model"]);
    for (const part of ["demo/chat", account.key.slice(-4)]) expect(json.error.message).toContain(part);
    expect(json.error.message).not.toContain(account.key.slice(8, 20));
    expect((await chat(account, "demo/other")).status).toBe(200);
    await change(account, account.keyId, { allowed_models: ["jev", "demo/*"] });
    await expect.poll(async () => (await chat(account, "best")).status, soon).toBe(200);
  });

  test("a model that the key may not use answers in no other's place", async () => {
    const account = await bound({ allowed_models: ["demo/chat"] });
    const { json } = await world.quote(account, "createChatCompletion", { model: "demo/chat", messages: hello });
    expect(new Set(json.routes.map(({ model }: { model: string }) => model))).toEqual(new Set(["demo/chat"]));
  });

  test("a key gets no other key's answer of a model that it may not use by repeating its request", async () => {
    const account = await bound({ allowed_models: ["demo/narrow"] });
    const { json } = await world.gateway.request("POST", "/v1/auth/keys", { key: account.session, body: { name: "free" } });
    const [free, once] = [{ key: json.api_key as string }, { "idempotency-key": "one" }];
    expect((await chat(free, "demo/chat", once)).status).toBe(200);
    expect(codeOf(await chat(account, "demo/chat", once))).toEqual([403, "model_not_allowed"]);
    expect((await chat(free, "demo/chat", once)).status).toBe(200);
  });

  test("the lists of models are public, and the same for every key", async () => {
    const { key } = await bound({ allowed_models: ["demo/chat"] });
    const [own, anyone] = [await world.gateway.request("GET", "/v1/models", { key }), await world.gateway.request("GET", "/v1/models")];
    expect(own.text).toBe(anyone.text);
  });
});

describe("allowed_operations", () => {
  test("403 operation_not_allowed: all but those of the list; a quote needs the quoted operation, too", async () => {
    const account = await bound({ allowed_operations: ["createChatCompletion", "createQuote"] });
    expect((await chat(account)).status).toBe(200);
    expect(codeOf(await keys(account.key))).toEqual([403, "operation_not_allowed"]);
    expect((await world.quote(account, "createChatCompletion", { model: "demo/chat", messages: hello })).status).toBe(200);
    expect(codeOf(await world.quote(account, "createImage", bodyOf(world, "createImage")))).toEqual([403, "operation_not_allowed"]);
  });
});

describe("allowed_networks", () => {
  test.each([
    [["192.0.2.0/24"], ["192.0.2.1", "192.0.2.255", "::ffff:192.0.2.7"], ["192.0.3.1", "2001:db8::1"]],
    [["192.0.2.9"], ["192.0.2.9"], ["192.0.2.8"]],
    [
      ["2001:db8:1::/48", "10.0.0.0/8"],
      ["2001:db8:1:ffff::9", "10.255.0.1"],
      ["2001:db8:2::1", "11.0.0.1"],
    ],
    [["2001:db8::7/128"], ["2001:db8::7"], ["2001:db8::8"]],
    [["0.0.0.0/0"], ["203.0.113.9"], ["2001:db8::1"]],
  ])("%j admits %j and refuses %j with 403 network_not_allowed", async (allowed_networks, inside, outside) => {
    const account = await bound({ allowed_networks });
    for (const address of inside) expect([address, (await keys(account.key, address)).status]).toEqual([address, 200]);
    for (const address of outside) {
      const reply = await keys(account.key, address);
      expect([address, ...codeOf(reply)]).toEqual([address, 403, "network_not_allowed"]);
      expect(reply.json.error.message).toContain(address);
    }
  });

  test("an address that the caller writes before the trusted proxy's counts for nothing", async () => {
    const account = await bound({ allowed_networks: ["192.0.2.0/24"] });
    expect(codeOf(await keys(account.key, "192.0.2.1, 203.0.113.9"))).toEqual([403, "network_not_allowed"]);
  });
});

describe("rpm and tpm of a key", () => {
  test("of 12 calls at once exactly 3 are admitted; the 429 names the key, and the account's other key goes on", async () => {
    await awayFromMinuteEdge(10_000);
    const account = await bound({ rpm: 3 });
    const replies = await Promise.all(Array.from({ length: 12 }, () => chat(account)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = replies.find(({ status }) => status !== 200)!;
    expect(codeOf(refused)).toEqual([429, "rate_limit_exceeded"]);
    for (const part of ["3 requests per minute of the key", account.key.slice(-4)]) expect(refused.json.error.message).toContain(part);
    const other = await bound({});
    expect((await chat(other)).status).toBe(200);
    await change(account, account.keyId, { rpm: null });
    await expect.poll(async () => (await chat(account)).status, soon).toBe(200);
  });

  test("tokens: a prompt above the key's minute is 413, and a minute that is used up 429", async () => {
    await awayFromMinuteEdge(10_000);
    const account = await bound({ tpm: 12 });
    const long = { model: "demo/chat", messages: [{ role: "user", content: "word ".repeat(200) }] };
    const tooLong = await world.gateway.request("POST", "/v1/chat/completions", { key: account.key, body: long });
    expect(codeOf(tooLong)).toEqual([413, "request_too_large"]);
    expect(tooLong.json.error.message).toContain("allows 12 tokens per minute");
    expect((await chat(account)).status).toBe(200);
    const { status, json } = await chat(account);
    expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(json.error.message).toContain("12 tokens per minute of the key");
  });
});

describe("expires_at", () => {
  test("401 key_expired once the time has come, in every process; a later time lets the key work again", async () => {
    const account = await bound({ expires_at: new Date(Date.now() + 5_000).toISOString() });
    expect((await keys(account.key)).status).toBe(200);
    expect((await keys(account.key, undefined, replica.url)).status).toBe(200);
    await expect.poll(async () => codeOf(await keys(account.key))).toEqual([401, "key_expired"]);
    expect(codeOf(await keys(account.key, undefined, replica.url))).toEqual([401, "key_expired"]);
    expect(codeOf(await chat(account))).toEqual([401, "key_expired"]);
    await change(account, account.keyId, { expires_at: null });
    for (const url of [world.gateway.url, replica.url])
      await expect.poll(async () => (await keys(account.key, undefined, url)).status, soon).toBe(200);
  });
});

describe("setting policies", () => {
  const policy = {
    expires_at: "2099-01-01T00:00:00.000Z",
    allowed_models: ["demo/chat", "demo/*"],
    allowed_operations: ["createChatCompletion", "getLimits"],
    allowed_networks: ["192.0.2.0/24", "2001:db8::/32"],
    scopes: ["no_media"],
    ...{ rpm: 10, tpm: 1000 },
  };
  const none = {
    expires_at: null,
    allowed_models: null,
    allowed_operations: null,
    allowed_networks: null,
    scopes: [],
    rpm: null,
    tpm: null,
  };
  const shown = async ({ session }: Bound) => (await world.gateway.request("GET", "/v1/auth/keys", { key: session })).json.data[0];

  test("what is set is listed; a change keeps what it doesn't name, and null lifts a rule", async () => {
    const account = await bound(policy);
    expect(await shown(account)).toMatchObject(policy);
    expect((await change(account, account.keyId, { rpm: 11 })).json).toMatchObject({ ...policy, rpm: 11 });
    expect((await change(account, account.keyId, none)).json).toMatchObject(none);
  });

  test("networks are kept as networks, each once", async () => {
    const account = await bound({ allowed_networks: ["192.0.2.77/24", "192.0.2.0/24", "2001:DB8:0:0::1"] });
    expect((await shown(account)).allowed_networks).toEqual(["192.0.2.0/24", "2001:db8::1/128"]);
  });

  test("takes effect in every process within a second", async () => {
    const account = await bound({});
    for (const url of [world.gateway.url, replica.url]) expect((await keys(account.key, undefined, url)).status).toBe(200);
    await change(account, account.keyId, { scopes: ["no_account"] });
    for (const url of [world.gateway.url, replica.url])
      await expect.poll(async () => (await keys(account.key, undefined, url)).status, soon).toBe(403);
  });

  test.each([
    [{ expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    [{ expires_at: "soon" }, "expires_at"],
    [{ allowed_models: ["demo/chat", "demo/unknown"] }, "allowed_models[1]"],
    [{ allowed_models: ["nobody/*"] }, "allowed_models[0]"],
    [{ allowed_models: ["*"] }, "allowed_models[0]"],
    [{ allowed_models: ["demo/ch*"] }, "allowed_models[0]"],
    [{ allowed_models: ["best"] }, "allowed_models[0]"],
    [{ allowed_models: [] }, "allowed_models"],
    [{ allowed_operations: ["createEverything"] }, "allowed_operations[0]"],
    [{ allowed_operations: ["toString"] }, "allowed_operations[0]"],
    [{ allowed_operations: ["createApiKey"] }, "allowed_operations[0]"],
    [{ allowed_networks: ["192.0.2.0/33"] }, "allowed_networks[0]"],
    [{ allowed_networks: ["192.0.2.0/24", "192.0.2.0/024"] }, "allowed_networks[1]"],
    [{ allowed_networks: ["2001:db8::/129"] }, "allowed_networks[0]"],
    [{ allowed_networks: ["::ffff:192.0.2.0/120"] }, "allowed_networks[0]"],
    [{ allowed_networks: ["fe80::1%eth0/64"] }, "allowed_networks[0]"],
    [{ allowed_networks: ["192.0.2"] }, "allowed_networks[0]"],
    [{ allowed_networks: ["example.com"] }, "allowed_networks[0]"],
    [{ scopes: ["everything"] }, "scopes[0]"],
    [{ rpm: 0 }, "rpm"],
    [{ tpm: 1.5 }, "tpm"],
  ])("400 invalid_parameter: %j, and nothing is made or changed", async (sent, param) => {
    const account = await bound({});
    const create = await world.gateway.request("POST", "/v1/auth/keys", { key: account.session, body: { name: "other", ...sent } });
    for (const { status, json } of [create, await change(account, account.keyId, { name: "other", ...sent })])
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
    expect(await shown(account)).toMatchObject({ name: "bound", ...none });
  });
});
