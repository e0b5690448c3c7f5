// What operators do with calls, money and roles: each change once, exact, and a row of the log.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";
import { rolledUp } from "../../support/rolled-up.ts";

let gateway: Gateway;
let admin: { account: TestAccount; key: string };
let support: typeof admin;
beforeAll(async () => {
  gateway = await startGateway();
  [admin, support] = [await newOperator(gateway, "admin"), await newOperator(gateway, "support")];
});
afterAll(() => gateway.stop());

const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [status, json.error?.code];
const get = (path: string, key = admin.key) => gateway.request("GET", `/v1/operator/${path}`, { key });
const post = (path: string, body: object, headers: Record<string, string> = {}, key = admin.key) =>
  gateway.request("POST", `/v1/operator/${path}`, { key, body: { reason: "a test", ...body }, headers });
const actionsOn = async (target: string) => (await get(`audit?target=${target}`)).json.data as { action: string; after: object }[];
async function paidCall({ account: payer, ...more }: { account?: TestAccount; metadata?: object } = {}) {
  const account = payer ?? (await gateway.createAccount({ deposit: "5" }));
  const body = { ...more, model: "north/chat-small", max_tokens: 5, messages: [{ role: "user", content: "hello" }] };
  const reply = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
  expect(reply.status).toBe(200);
  return { account, requestId: reply.headers["x-request-id"] as string, spent: (await gateway.balance(account)).spent };
}

describe("adjusting money", () => {
  test("posts one entry and one row, once however often it is sent with its key", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const send = (amount_usd = -1.5) => post(`accounts/${account.id}/adjust`, { amount_usd }, { "idempotency-key": "once" });
    const replies = await Promise.all([send(), send(), send()]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { json } of replies) expect(json).toMatchObject({ entry_id: "led_2", amount_usd: -1.5, balance_usd: 3.5 });
    expect(await gateway.balance(account)).toMatchObject({ balance: 3.5 });
    expect(await actionsOn(account.id)).toMatchObject([{ action: "account.adjust", after: { balance_usd: 3.5, amount_usd: -1.5 } }]);
    expect(codeOf(await send(-1))).toEqual([409, "idempotency_key_reused"]);
    expect((await gateway.audit()).mismatches).toEqual([]);
  });

  test("an unknown account, an amount of 0, more than there is, an unknown entry, a role that is too low: nothing moves", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const path = `accounts/${account.id}/adjust`;
    expect(codeOf(await post("accounts/acc_999999/adjust", { amount_usd: 1 }))).toEqual([404, "account_not_found"]);
    expect(codeOf(await post(path, { amount_usd: 0 }))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await post(path, { amount_usd: 1e-9 }))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await post(path, { amount_usd: -6 }))).toEqual([409, "not_possible"]);
    expect(codeOf(await post(path, { amount_usd: 1, entry: "led_9" }))).toEqual([409, "not_possible"]);
    expect(codeOf(await post(path, { amount_usd: 1 }, {}, support.key))).toEqual([403, "permission_denied"]);
    expect(await gateway.balance(account)).toMatchObject({ balance: 5 });
    expect(await actionsOn(account.id)).toEqual([]);
    expect((await post(path, { amount_usd: 0.00000001, kind: "earned" })).json.balance_usd).toBe(5.00000001);
  });
});

describe("calls", () => {
  test("are found over all accounts by account, request id, model and status, and shown with their providers", async () => {
    const { account, requestId, spent } = await paidCall();
    for (const filter of [`request_id=${requestId}`, `account=${account.id}`, "limit=1", "model=north/chat-small&status=success&limit=1"]) {
      const { json } = await get(`calls?${filter}`, support.key);
      expect(json.data).toMatchObject([{ request_id: requestId, account_id: account.id, cost_usd: spent }]);
      expect(json.data[0].route).toMatch(/^\w+\//);
    }
    expect((await get("calls?status=failed")).json.data).toEqual([]);
    const { json } = await get(`calls/${requestId}?account=${account.id}`, support.key);
    expect(json).toMatchObject({ account_id: account.id, email: account.email, charge: { cost_usd: spent } });
    expect(json.attempts).toMatchObject([{ outcome: "ok", status: 200, cause: null }]);
    expect(codeOf(await get("calls/req_unknown"))).toEqual([404, "request_not_found"]);
    expect(codeOf(await get("calls?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z"))).toEqual([400, "invalid_parameter"]);
  });

  test("of an account are found by their tag, before and after they are in the sums; 400 invalid_parameter without an account", async () => {
    const { account, requestId } = await paidCall({ metadata: { env: "prod" } });
    const later = await paidCall({ account, metadata: { env: "prod", team: "a" } });
    await paidCall({ account, metadata: { env: "test" } });
    await paidCall({ metadata: { env: "prod" } });
    const found = async (query: string) => {
      const { json } = await get(`calls?account=${account.id}&${query}`, support.key);
      return json.data.map((call: { request_id: string }) => call.request_id) as string[];
    };
    for (const rolled of [false, true]) {
      if (rolled) await rolledUp(gateway.context.db);
      expect(await found("tag=env:prod")).toEqual([later.requestId, requestId]);
      expect(await found("tag=env:prod&status=failed")).toEqual([]);
      expect(await found(`tag=env:prod&to=${new Date(Date.now() - 3_600_000).toISOString()}`)).toEqual([]);
      expect(await found(`tag=env:prod&request_id=${requestId}`)).toEqual([requestId]);
      expect(await found("tag=team:a")).toEqual([later.requestId]);
      expect(await found("tag=env:none")).toEqual([]);
      const { last_id } = (await get(`calls?account=${account.id}&tag=env:prod&limit=1`)).json;
      expect(await found(`tag=env:prod&after=${last_id as string}`)).toEqual([requestId]);
    }
    const { status, json } = await get("calls?tag=env:prod");
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "tag"]);
  });

  test("a page follows another without a gap or a repeat", async () => {
    const calls = [await paidCall(), await paidCall(), await paidCall()].map(({ requestId }) => requestId);
    const seen: string[] = [];
    for (let after = ""; seen.length < 3;) {
      const { json } = await get(`calls?limit=1${after}`);
      seen.push(json.data[0].request_id as string);
      after = `&after=${json.last_id as string}`;
    }
    expect(seen).toEqual(calls.toReversed());
  });

  test("a charge is given back once, however many ask at the same time; more than it and again give 409 not_possible", async () => {
    const { account, requestId, spent } = await paidCall();
    const path = `calls/${requestId}/refund`;
    expect(codeOf(await post(path, { amount_usd: 1 }))).toEqual([409, "not_possible"]);
    const replies = await Promise.all(Array.from({ length: 5 }, (_, n) => post(path, { reason: `test ${n}` })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ json }) => json.error?.code === "not_possible")).toHaveLength(4);
    expect(await gateway.balance(account)).toMatchObject({ balance: 5, spent });
    expect(await actionsOn(requestId)).toMatchObject([{ action: "call.refund", after: { amount_usd: spent } }]);
    expect(codeOf(await post("calls/req_unknown/refund", {}))).toEqual([404, "request_not_found"]);
    expect((await gateway.audit()).mismatches).toEqual([]);
  });
});

describe("roles", () => {
  const set = (account: string, role: string, key = admin.key) => post("operators", { account, role }, {}, key);
  test("an admin gives and takes them, each a row of the log; the account is one at once, and no longer at once", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const given = await set(account.email, "support");
    expect(given.json.data).toContainEqual(
      expect.objectContaining({ account_id: account.id, role: "support", added_by: admin.account.email }),
    );
    expect((await get("me", token)).json.role).toBe("support");
    expect((await get("operators", admin.key)).json.data).toEqual(given.json.data);
    expect((await post("operators/remove", { account: account.id })).status).toBe(200);
    expect(codeOf(await get("me", token))).toEqual([404, "endpoint_not_found"]);
    expect((await actionsOn(account.id)).map(({ action }) => action)).toEqual(["operator.remove", "operator.set"]);
  });

  test("operators neither raise nor remove themselves, and an account without a verified address gets no role: 409, 403", async () => {
    expect(codeOf(await set(admin.account.id, "support"))).toEqual([409, "not_possible"]);
    expect(codeOf(await post("operators/remove", { account: admin.account.id }))).toEqual([409, "not_possible"]);
    expect(codeOf(await set(support.account.id, "admin", support.key))).toEqual([403, "permission_denied"]);
    expect(codeOf(await set((await gateway.createAccount({ verified: false })).id, "support"))).toEqual([409, "not_possible"]);
    expect(codeOf(await set("acc_999999", "support"))).toEqual([404, "account_not_found"]);
  });

  test("two admins who take each other's role at the same time: one of them stays", async () => {
    const other = await newOperator(gateway, "admin");
    const third = await newOperator(gateway, "admin");
    const replies = await Promise.all([
      post("operators/remove", { account: third.account.id }, {}, other.key),
      post("operators/remove", { account: other.account.id }, {}, third.key),
    ]);
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect([403, 404]).toContain(statuses[1]); // the role was gone before the change, or before the request
  });
});
