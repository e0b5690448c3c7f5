// A sign-in at an external provider belongs to the browser that began it: no page can sign its visitor in to another's account with that
// account's code and state.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestReply } from "../../support/gateway.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";

let provider: OpenidProvider;
let gateway: Gateway;
beforeAll(async () => {
  provider = await startOpenidProvider();
  for (const login of ["mallory", "ada"]) provider.users.set(login, { email: `${login}@example.com`, email_verified: true });
  gateway = await startGateway({
    env: { SVC_SIGNIN_IDP_CLIENT_ID: clientId, SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret, SVC_SIGNIN_IDP_ISSUER: provider.issuer },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** What a page of the gateway's own origin sends, and of another. */
const samePage = { origin: "https://gateway.example", "sec-fetch-site": "same-origin" };
const otherPage = { origin: "https://app.example.com", "sec-fetch-site": "cross-site" };

const cookieOf = ({ headers }: TestReply) => /^__Host-svc_signin=[\w-]{43}/.exec(String(headers["set-cookie"]))![0];

/** Begun by a browser, whose user has come back from the provider. */
async function begun(login: string, headers: Record<string, string> = samePage) {
  const started = await gateway.request("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri }, headers });
  const code = (await provider.signIn(started.json.authorization_url, login)).get("code")!;
  return { started, cookie: cookieOf(started), code, state: started.json.state as string, nonce: started.json.nonce as string };
}
const finish = (body: object, headers: Record<string, string>) => gateway.request("POST", "/v1/auth/signin/idp", { body, headers });
const outcome = ({ status, json }: TestReply) => [status, json.error?.code ?? json.user.email, json.error?.param ?? null];
const refused = [400, "invalid_token", "state"];

describe("a browser", () => {
  test("200 with the cookie that the start set: HttpOnly, Secure, SameSite=Lax, for ten minutes; the database holds its digest alone", async () => {
    const { started, cookie, code, state } = await begun("ada");
    expect(started.headers["set-cookie"]).toBe(`${cookie}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600`);
    const { rows } = await gateway.context.db.pool.query("select to_jsonb(f)::text as row from sign_in_flow f");
    expect(rows.map(({ row }) => row as string).join()).not.toContain(cookie.split("=")[1]);
    expect(outcome(await finish({ code, state }, { ...samePage, cookie }))).toEqual([200, "ada@example.com", null]);
  });

  test.each<[string, Record<string, string>]>([
    ["no cookie", samePage],
    ["no cookie, and no origin but what it says of itself", { "sec-fetch-site": "cross-site" }],
    ["no cookie, from a page without an origin", { origin: "null" }],
    ["another page's request", otherPage],
    ["a cookie that is none", { ...samePage, cookie: "__Host-svc_signin=x" }],
  ])("400 invalid_token: another's code and state with %s; they are not used up", async (_, headers) => {
    const { cookie, code, state } = await begun("mallory");
    expect(outcome(await finish({ code, state }, headers))).toEqual(refused);
    expect(outcome(await finish({ code, state, nonce: "guessed" }, headers))).toEqual(refused);
    expect(outcome(await finish({ code, state }, { ...samePage, cookie }))).toEqual([200, "mallory@example.com", null]);
  });

  test("400 invalid_token: another's code and state with the cookie of a sign-in of its own", async () => {
    const ada = await begun("ada");
    const { code, state } = await begun("mallory");
    expect(outcome(await finish({ code, state }, { ...samePage, cookie: ada.cookie }))).toEqual(refused);
    expect(outcome(await finish({ code: ada.code, state: ada.state }, { ...samePage, cookie: ada.cookie }))).toEqual([
      200,
      "ada@example.com",
      null,
    ]);
  });

  test("200 for each of several that one browser began, in any order", async () => {
    const first = await begun("ada");
    const second = await begun("ada", { ...samePage, cookie: `other=1; ${first.cookie}` });
    expect(second.cookie).toBe(first.cookie);
    for (const { code, state } of [second, first])
      expect((await finish({ code, state }, { ...samePage, cookie: second.cookie })).status).toBe(200);
  });

  test("200 without the cookie, which no page of another origin has, by the nonce that the start answered", async () => {
    const { code, state, nonce } = await begun("ada", otherPage);
    expect(outcome(await finish({ code, state, nonce }, otherPage))).toEqual([200, "ada@example.com", null]);
  });
});

test("a client that is no browser finishes with code and state alone", async () => {
  const { code, state } = await begun("ada", {});
  expect(outcome(await finish({ code, state }, {}))).toEqual([200, "ada@example.com", null]);
});
