// GET /v1/auth/session and POST /v1/auth/signout over HTTP; how long a session lives; its cookie on other endpoints.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { sessionCookiePair } from "../../../src/accounts/tokens.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { type SignInGateway, startSignInGateway } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const read = (headers: Record<string, string>) => gateway.request("GET", "/v1/auth/session", { headers });
const signOut = (headers: Record<string, string>) => gateway.request("POST", "/v1/auth/signout", { headers });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const cookie = (token: string) => ({ cookie: `theme=dark; ${sessionCookiePair(token)}; other=1` });
const codeOf = (reply: { status: number; json: any }) => [reply.status, reply.json?.error?.code];

async function signedIn(): Promise<{ account: TestAccount; token: string; csrfToken: string }> {
  const account = await gateway.createAccount({ deposit: "1" });
  return { account, ...(await gateway.createSession(account)) };
}

describe("GET /v1/auth/session", () => {
  test("the same by bearer token and by cookie; never cached", async () => {
    const { token, csrfToken } = await signedIn();
    const [byBearer, byCookie] = [await read(bearer(token)), await read(cookie(token))];
    expect(byBearer.status).toBe(200);
    expect(byBearer.json).toMatchObject({ csrf_token: csrfToken, user: { email_verified: true, tier: 0 } });
    expect(byCookie.json).toEqual(byBearer.json);
    expect(byBearer.headers["cache-control"]).toBe("no-store");
  });

  test("403 session_required with an API key, alone or beside a cookie that is worth nothing", async () => {
    const { account } = await signedIn();
    expect(codeOf(await read(bearer(account.key)))).toEqual([403, "session_required"]);
    expect(codeOf(await read({ ...bearer(account.key), ...cookie(`svcs_${"A".repeat(43)}`) }))).toEqual([403, "session_required"]);
  });

  test("an API key beside a session's cookie: the session counts", async () => {
    const { account, token } = await signedIn();
    expect((await read({ ...bearer(account.key), ...cookie(token) })).status).toBe(200);
  });

  test("a bearer token beside a cookie counts alone, be it another's or worth nothing", async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    expect((await read({ ...bearer(other.token), ...cookie(mine.token) })).json.csrf_token).toBe(other.csrfToken);
    expect(codeOf(await read({ ...bearer(`svcs_${"A".repeat(43)}`), ...cookie(mine.token) }))).toEqual([401, "invalid_api_key"]);
  });

  test.each([
    ["no credential", {}, "missing_api_key"],
    ["another cookie", { cookie: "svc_session=x" }, "missing_api_key"],
    ["an empty cookie", { cookie: "__Host-svc_session=" }, "invalid_api_key"],
    ["an unknown session", { cookie: sessionCookiePair(`svcs_${"A".repeat(43)}`) }, "invalid_api_key"],
    ["a token that is none", { cookie: sessionCookiePair(`svcs_${"A".repeat(9000)}`) }, "invalid_api_key"],
  ])("401 %s", async (_what, headers, code) => {
    expect(codeOf(await read(headers))).toEqual([401, code]);
  });

  test("an API key in the session's cookie is no session", async () => {
    const { account } = await signedIn();
    expect(codeOf(await read(cookie(account.key)))).toEqual([401, "invalid_api_key"]);
  });

  test("403 permission_denied for a suspended account, and 200 again afterwards", async () => {
    const { account, token } = await signedIn();
    await setSuspended(gateway.context.db, account.accountId, new Date());
    expect(codeOf(await read(bearer(token)))).toEqual([403, "permission_denied"]);
    expect(codeOf(await read(cookie(token)))).toEqual([403, "permission_denied"]);
    await setSuspended(gateway.context.db, account.accountId, null);
    expect((await read(bearer(token))).status).toBe(200);
  });
});

describe("how long a session lives", () => {
  test("30 days from its last use; use is written at most once an hour", async () => {
    const { token } = await signedIn();
    const start = gateway.context.clock().getTime();
    const endOf = async () => Date.parse((await read(bearer(token))).json.expires_at);
    expect(await endOf()).toBe(start + 30 * day);
    gateway.pass(hour - 1);
    expect(await endOf()).toBe(start + 30 * day);
    gateway.pass(1);
    expect(await endOf()).toBe(start + hour + 30 * day);
    gateway.pass(30 * day - 1);
    expect((await read(bearer(token))).status).toBe(200);
    gateway.pass(30 * day);
    expect(codeOf(await read(bearer(token)))).toEqual([401, "invalid_api_key"]);
  });
});

describe("POST /v1/auth/signout", () => {
  test("204: the session is over everywhere at once, its cookie deleted; other sessions stay", async () => {
    const { account, token } = await signedIn();
    const other = await gateway.createSession(account);
    const { status, headers, text } = await signOut(bearer(token));
    expect([status, text]).toEqual([204, ""]);
    expect(headers["set-cookie"]).toBe("__Host-svc_session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
    expect(codeOf(await read(bearer(token)))).toEqual([401, "invalid_api_key"]);
    expect(codeOf(await read(cookie(token)))).toEqual([401, "invalid_api_key"]);
    expect((await read(bearer(other.token))).status).toBe(200);
  });

  test("403 csrf_failed: a cookie without, with another's or with a shortened X-Svc-CSRF; the session stays", async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    for (const given of [undefined, "", other.csrfToken, mine.csrfToken.slice(1), `${mine.csrfToken} x`]) {
      const headers = { ...cookie(mine.token), ...(given === undefined ? {} : { "x-svc-csrf": given }) };
      expect(codeOf(await signOut(headers))).toEqual([403, "csrf_failed"]);
    }
    expect((await read(cookie(mine.token))).status).toBe(200);
    expect((await signOut({ ...cookie(mine.token), "x-svc-csrf": mine.csrfToken })).status).toBe(204);
  });
});

describe("elsewhere", () => {
  test("the balance takes a cookie as well as a key; calls to models take none", async () => {
    const { account, token } = await signedIn();
    const balance = (headers: Record<string, string>) => gateway.request("GET", "/v1/credits/balance", { headers });
    const [byKey, byCookie] = [await balance(bearer(account.key)), await balance(cookie(token))];
    expect([byKey.status, byCookie.json]).toEqual([200, byKey.json]);
    const body = { model: "x", messages: [{ role: "user", content: "hello" }] };
    const chat = (headers: Record<string, string>) => gateway.request("POST", "/v1/chat/completions", { headers, body });
    expect(codeOf(await chat(cookie(token)))).toEqual([401, "missing_api_key"]);
    expect(codeOf(await chat(bearer(token)))).toEqual([403, "permission_denied"]);
  });

  test("a preflight allows X-Svc-CSRF, and no header lets a browser send cookies from other origins", async () => {
    const reply = await fetch(`${gateway.url}/v1/auth/signout`, {
      method: "OPTIONS",
      headers: { origin: "https://other.example", "access-control-request-method": "POST", "access-control-request-headers": "x-svc-csrf" },
    });
    expect(reply.headers.get("access-control-allow-headers")).toContain("x-svc-csrf");
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
  });
});
