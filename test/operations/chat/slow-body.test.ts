// A credential that ends while the body of its request is still arriving ends the request.
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, hello, language } from "./chat-gateway.ts";

const world = chatWorld([language("demo/one", ["one"])]);

/** Half of the body goes out, then `meanwhile` happens, then the other half. */
async function trickle(path: string, headers: Record<string, string>, body: object, meanwhile: () => Promise<unknown>) {
  const bytes = Buffer.from(JSON.stringify(body));
  const req = request(world.gateway.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": bytes.length, ...headers },
  });
  const replied = new Promise<{ status: number; code: string | undefined }>((resolve, reject) => {
    req.on("error", reject).on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { error } = JSON.parse(Buffer.concat(chunks).toString()) as { error?: { code: string } };
        resolve({ status: response.statusCode!, code: error?.code });
      });
    });
  });
  req.write(bytes.subarray(0, 10));
  await pause(100);
  await meanwhile();
  await pause(600);
  req.end(bytes.subarray(10));
  return replied;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const suspend = (account: TestAccount) => setSuspended(world.gateway.context.db, account.accountId, new Date());
const keysOf = async ({ accountId }: TestAccount) =>
  (await world.gateway.context.db.pool.query("select id from api_key where account_id = $1 and deleted_at is null", [accountId])).rows
    .length;

describe.concurrent("POST /v1/auth/keys, its body slower than half a second", () => {
  const create = (headers: Record<string, string>, meanwhile: () => Promise<unknown>) =>
    trickle("/v1/auth/keys", headers, { name: "slow" }, meanwhile);
  const signedIn = async () => {
    const account = await world.gateway.createAccount({ deposit: "5" });
    return { account, session: await world.gateway.createSession(account) };
  };
  const signOut = async (key: string) =>
    expect((await world.gateway.request("POST", "/v1/auth/signout", { key })).status).toBeLessThan(300);

  test("401 invalid_api_key: the session was ended; no key is made", async () => {
    const { account, session } = await signedIn();
    expect(await create(bearer(session.token), () => signOut(session.token))).toEqual({ status: 401, code: "invalid_api_key" });
    expect(await keysOf(account)).toBe(1);
  });
  test("401 invalid_api_key: by its cookie too", async () => {
    const { account, session } = await signedIn();
    const cookie = { cookie: `__Host-svc_session=${session.token}`, "x-svc-csrf": session.csrfToken };
    expect(await create(cookie, () => signOut(session.token))).toEqual({ status: 401, code: "invalid_api_key" });
    expect(await keysOf(account)).toBe(1);
  });
  test("403 permission_denied: the account was suspended; no key is made", async () => {
    const { account, session } = await signedIn();
    expect(await create(bearer(session.token), () => suspend(account))).toEqual({ status: 403, code: "permission_denied" });
    expect(await keysOf(account)).toBe(1);
  });
  test("200 when nothing happened meanwhile", async () => {
    const { account, session } = await signedIn();
    expect(await create(bearer(session.token), () => Promise.resolve())).toEqual({ status: 200, code: undefined });
    expect(await keysOf(account)).toBe(2);
  });
});

describe.concurrent("POST /v1/chat/completions, its body slower than half a second", () => {
  const chat = (account: TestAccount, meanwhile: () => Promise<unknown>) =>
    trickle("/v1/chat/completions", bearer(account.key), { model: "demo/one", messages: hello }, meanwhile);
  const requestsOf = async ({ accountId }: TestAccount) =>
    (await world.gateway.context.db.pool.query("select 1 from usage_log where account_id = $1", [accountId])).rows.length;

  test("401 invalid_api_key: the key was deleted; nothing is charged", async () => {
    const account = await world.gateway.createAccount({ deposit: "5" });
    const { token } = await world.gateway.createSession(account);
    const deleteKey = async () => {
      const { json } = await world.gateway.request("GET", "/v1/auth/keys", { key: token });
      expect((await world.gateway.request("DELETE", `/v1/auth/keys/${json.data[0].id}`, { key: token })).status).toBeLessThan(300);
    };
    expect(await chat(account, deleteKey)).toEqual({ status: 401, code: "invalid_api_key" });
    await world.expectUntouched(account, 5);
    expect(await requestsOf(account)).toBe(0);
  });
  test("403 permission_denied: the account was suspended; nothing is charged", async () => {
    const account = await world.gateway.createAccount({ deposit: "5" });
    expect(await chat(account, () => suspend(account))).toEqual({ status: 403, code: "permission_denied" });
    await world.expectUntouched(account, 5);
    expect(await requestsOf(account)).toBe(0);
  });
  test("200 when nothing happened meanwhile, counted once", async () => {
    const account = await world.gateway.createAccount({ deposit: "5" });
    expect(await chat(account, () => Promise.resolve())).toEqual({ status: 200, code: undefined });
    expect(await requestsOf(account)).toBe(1);
  });
});
