// Signing in by an OpenID provider, over HTTP and against a real one: what is confirmed, and what is not.
import { createHmac, generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whileAllFail } from "../../support/failing-statements.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import { type Gateway, startGateway, type TestReply } from "../../support/gateway.ts";

let provider: OpenidProvider;
let gateway: Gateway;
let now = new Date();

beforeAll(async () => {
  provider = await startOpenidProvider();
  provider.users.set("ada", { email: "Ada@Example.com", email_verified: true });
  provider.users.set("mallory", { email: "mallory@example.com", email_verified: false });
  const settings = (name: string, issuer: string) => ({
    [`SVC_SIGNIN_${name}_CLIENT_ID`]: clientId,
    [`SVC_SIGNIN_${name}_CLIENT_SECRET`]: clientSecret,
    [`SVC_SIGNIN_${name}_ISSUER`]: issuer,
  });
  gateway = await startGateway({
    clock: () => now,
    env: {
      ...settings("OUR_IDP", provider.issuer),
      ...settings("SECOND", provider.issuer),
      ...settings("DOWN", "http://127.0.0.1:1"),
      ...settings("STRANGER", provider.issuer),
      SVC_SIGNIN_STRANGER_CLIENT_SECRET: "not-the-secret",
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

const start = async (name = "our-idp", uri = redirectUri) =>
  gateway.request("POST", `/v1/auth/signin/${name}/start`, { body: { redirect_uri: uri } });
const finish = (body: object, name = "our-idp") => gateway.request("POST", `/v1/auth/signin/${name}`, { body });

/** Started, and the user has come back with a code. */
async function withCode(login = "ada", name = "our-idp") {
  const { json } = await start(name);
  const back = await provider.signIn(json.authorization_url, login);
  expect(back.get("state")).toBe(json.state);
  return { code: back.get("code")!, state: json.state as string };
}

/** Started, and the client has an identity token with this nonce, or the flow's own. */
async function withIdToken({ login = "ada", nonce, client }: { login?: string; nonce?: string; client?: string } = {}) {
  const { json } = await start();
  const url = provider.idTokenUrl({ nonce: nonce ?? json.nonce, ...(client === undefined ? {} : { clientId: client }) });
  return { id_token: (await provider.signIn(url, login)).get("id_token")!, state: json.state as string };
}

/** Started, with a token made by hand of sound claims and these changes. */
async function withForged(change: Record<string, unknown>, key?: Parameters<OpenidProvider["token"]>[1]) {
  const { json } = await start();
  const nowSec = Math.floor(Date.now() / 1000);
  const sound = { iss: provider.issuer, aud: clientId, sub: "ada", iat: nowSec, exp: nowSec + 300, nonce: json.nonce };
  const claims = { ...sound, email: "ada@example.com", email_verified: true, ...change };
  return { id_token: provider.token(claims, key), state: json.state as string };
}

function expectRefused(reply: TestReply, status: number, code: string, param: string | null = null) {
  expect([reply.status, reply.json.error?.code, reply.json.error?.param ?? null]).toEqual([status, code, param]);
}

describe("startSignIn", () => {
  test("200: the provider's address holds PKCE, state and nonce; the database holds only the state's digest", async () => {
    const { status, json } = await start();
    expect(status).toBe(200);
    const url = new URL(json.authorization_url);
    expect(url.origin).toBe(provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      state: json.state,
      nonce: json.nonce,
      code_challenge_method: "S256",
    });
    expect(json.state).toMatch(/^svco_/);
    expect(Date.parse(json.expires_at) - now.getTime()).toBe(600_000);
    const { rows } = await gateway.context.db.pool.query("select sign_in_flow::text as row from sign_in_flow");
    expect(rows.map(({ row }) => row).join()).not.toContain(json.state.slice(5));
  });

  test("400 invalid_parameter: an unknown provider", async () => {
    expectRefused(await start("nobody"), 400, "invalid_parameter", "provider");
    expectRefused(await finish({ code: "c", state: "s" }, "nobody"), 400, "invalid_parameter", "provider");
  });

  test.each([
    "http://app.example.com/",
    "ftp://app.example.com/",
    "https://app.example.com/#here",
    "https://a:b@app.example.com/",
    "javascript:0",
  ])("400 invalid_parameter: redirect_uri %s", async (uri) =>
    expectRefused(await start("our-idp", uri), 400, "invalid_parameter", "redirect_uri"),
  );

  test.each(["http://localhost:3000/back", "http://127.0.0.1/back", "http://[::1]:1/back"])("200: redirect_uri %s", async (uri) =>
    expect((await start("our-idp", uri)).status).toBe(200),
  );

  test("503 overloaded: the provider is away", async () => expectRefused(await start("down"), 503, "overloaded"));
});

describe("signInWithProvider by code", () => {
  test("200: a session in a new verified account, which the same identity finds again", async () => {
    const first = await finish(await withCode());
    expect(first.status).toBe(200);
    expect(first.json.user).toMatchObject({ email: "Ada@Example.com", email_verified: true });
    expect(first.headers["set-cookie"]).toContain(first.json.session_token);
    const again = await finish(await withCode());
    expect(again.json.user.id).toBe(first.json.user.id);
  });

  test("401 invalid_credentials: a wrong code", async () => {
    const { state } = await withCode();
    expectRefused(await finish({ code: "wrong", state }), 401, "invalid_credentials");
  });

  test("401 invalid_credentials: a code that was used", async () => {
    const { code, state } = await withCode();
    expect((await finish({ code, state })).status).toBe(200);
    expectRefused(await finish({ code, state: (await start()).json.state }), 401, "invalid_credentials");
  });

  test("401 invalid_credentials: a code of another sign-in, which PKCE detects", async () => {
    const { code } = await withCode();
    expectRefused(await finish({ code, state: (await start()).json.state }), 401, "invalid_credentials");
  });

  test("401 invalid_credentials: the provider has not verified the address; no account is made", async () => {
    expectRefused(await finish(await withCode("mallory")), 401, "invalid_credentials");
    const { rowCount } = await gateway.context.db.pool.query("select 1 from account where email_norm = 'mallory@example.com'");
    expect(rowCount).toBe(0);
  });

  test("503 overloaded: the provider does not accept the gateway's own secret, which is not the user's fault", async () => {
    const { code, state } = await withCode("ada", "stranger");
    expectRefused(await finish({ code, state }, "stranger"), 503, "overloaded");
  });
});

describe("signInWithProvider by identity token", () => {
  test("200: a token that the client asked for by itself", async () => {
    const reply = await finish(await withIdToken());
    expect([reply.status, reply.json.user?.email]).toEqual([200, "Ada@Example.com"]);
  });

  test("200: several audiences, where this gateway is the authorized party", async () =>
    expect((await finish(await withForged({ aud: [clientId, "another-app"], azp: clientId }))).status).toBe(200));

  test("401 invalid_credentials: the nonce of another sign-in", async () =>
    expectRefused(await finish(await withIdToken({ nonce: (await start()).json.nonce })), 401, "invalid_credentials"));

  test("401 invalid_credentials: a token for another app", async () =>
    expectRefused(await finish(await withIdToken({ client: "another-app" })), 401, "invalid_credentials"));

  test("401 invalid_credentials: an address that is not verified", async () =>
    expectRefused(await finish(await withIdToken({ login: "mallory" })), 401, "invalid_credentials"));

  const nowSec = Math.floor(Date.now() / 1000);
  test.each<[string, Record<string, unknown>]>([
    ["an expired token", { iat: nowSec - 7_200, exp: nowSec - 3_600 }],
    ["another issuer", { iss: "https://accounts.example.com" }],
    ["several audiences, another authorized party", { aud: [clientId, "another-app"], azp: "another-app" }],
    ["several audiences, no authorized party", { aud: [clientId, "another-app"] }],
    ["no nonce", { nonce: undefined }],
    ["no address", { email: undefined }],
    ["an address that is none", { email: "ada" }],
    ["no word on the address", { email_verified: undefined }],
  ])("401 invalid_credentials: %s", async (_what, change) =>
    expectRefused(await finish(await withForged(change)), 401, "invalid_credentials"),
  );

  test("401 invalid_credentials: another key's signature", async () => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    expectRefused(await finish(await withForged({}, privateKey)), 401, "invalid_credentials");
  });

  test.each(["none", "HS256"])("401 invalid_credentials: a token whose header says %s, though the secret may be known", async (alg) => {
    const { id_token, state } = await withForged({});
    const header = Buffer.from(JSON.stringify({ alg })).toString("base64url");
    const text = `${header}.${id_token.split(".")[1]}`;
    const signature = alg === "none" ? "" : createHmac("sha256", clientSecret).update(text).digest("base64url");
    expectRefused(await finish({ id_token: `${text}.${signature}`, state }), 401, "invalid_credentials");
  });

  test.each(["x", "a.b.c", "é.é.é", `${"x".repeat(300)}.e30.AA`])("401 invalid_credentials: no token at all: %.8s", async (token) =>
    expectRefused(await finish({ id_token: token, state: (await start()).json.state }), 401, "invalid_credentials"),
  );
});

describe("state", () => {
  test("400 invalid_token: unknown, or no state at all", async () => {
    expectRefused(await finish({ code: "c", state: `svco_${"A".repeat(43)}` }), 400, "invalid_token", "state");
    expectRefused(await finish({ code: "c", state: "x" }), 400, "invalid_token", "state");
  });

  test("400 invalid_token: given to another provider, whose sign-in it does not spoil", async () => {
    const { code, state } = await withCode();
    expectRefused(await finish({ code, state }, "second"), 400, "invalid_token", "state");
    expect((await finish({ code, state })).status).toBe(200);
  });

  test("400 used_token: it works once, for all that come at the same time", async () => {
    const { code, state } = await withCode();
    const replies = await Promise.all(Array.from({ length: 5 }, () => finish({ code, state })));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) expectRefused(reply, 400, "used_token", "state");
  });

  test("400 used_token: a sign-in that was refused is over", async () => {
    const { code, state } = await withCode();
    expectRefused(await finish({ code: "wrong", state }), 401, "invalid_credentials");
    expectRefused(await finish({ code, state }), 400, "used_token", "state");
  });

  test("400 expired_token: ten minutes later", async () => {
    const { code, state } = await withCode();
    now = new Date(now.getTime() + 600_000);
    expectRefused(await finish({ code, state }), 400, "expired_token", "state");
  });
});

test.each(["startSignIn", "signInWithProvider"])("500 internal_error: %s, without detail", async (operation) => {
  const { json } = await start();
  const ask = () => (operation === "startSignIn" ? start() : finish({ code: "any", state: json.state }));
  const { status, json: body, text } = await whileAllFail(gateway.context.db, new Error("broken"), ask);
  expect([status, body.error.code]).toEqual([500, "internal_error"]);
  expect(text).not.toMatch(/broken|\.ts/);
});
