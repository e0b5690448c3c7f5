// POST /v1/auth/signin over HTTP: the session it opens, and that refusals don't reveal which addresses have an account.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { withinOneMinute } from "../../limits/counted-database.ts";
import type { TestReply } from "../../support/gateway.ts";
import { argon2Runs, atShippedCost, password, shown, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

describe("200", () => {
  test("a session for 30 days as token and cookie, with its CSRF token and the user", async () => {
    const { email, user } = await gateway.verifiedPerson();
    const { status, json, headers } = await gateway.signIn(email);
    expect(status).toBe(200);
    expect(json).toEqual({
      session_token: expect.stringMatching(/^svcs_[\w-]{43}$/),
      expires_at: new Date(gateway.context.clock().getTime() + 30 * 24 * 60 * 60 * 1000).toISOString(),
      csrf_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      user,
    });
    expect(headers["set-cookie"]).toMatch(
      new RegExp(`^__Host-svc_session=${json.session_token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\\d+$`),
    );
    expect(headers["cache-control"]).toBe("no-store");
  });

  test("whatever the case of the address; a second session leaves the first alone", async () => {
    const { email } = await gateway.verifiedPerson();
    const first = (await gateway.signIn(email)).json.session_token;
    const second = (await gateway.signIn(email.toUpperCase())).json.session_token;
    expect(second).not.toBe(first);
    for (const key of [first, second]) expect((await gateway.request("GET", "/v1/auth/session", { key })).status).toBe(200);
  });

  test("the same password typed in another Unicode form is the same password", async () => {
    const email = gateway.newEmail();
    await gateway.signUp(email, { password: "pass\u00e9phrase \u2460" });
    await gateway.post("/v1/auth/verify", { token: tokenIn(await gateway.mailTo(email)) });
    expect((await gateway.signIn(email, "passe\u0301phrase 1")).status).toBe(200);
  });

  test("the tier is that of the money that was added", async () => {
    const account = await gateway.createAccount({ deposit: "250" });
    const { token } = await gateway.createSession(account);
    expect((await gateway.request("GET", "/v1/auth/session", { key: token })).json.user.tier).toBe(3);
  });
});

describe("401 invalid_credentials", () => {
  test("a wrong password, an unknown address, one that is not verified and one without a password: the same bytes after the same work", async () => {
    const { email } = await gateway.verifiedPerson();
    const unverified = gateway.newEmail();
    await gateway.signUp(unverified);
    const { email: passwordless } = await gateway.createAccount();
    const replies: TestReply[] = [];
    for (const [asked, given] of [
      [email, `${password}r`],
      [gateway.newEmail(), password],
      [passwordless, password],
      [unverified, password],
    ] as const)
      expect(await argon2Runs(async () => void replies.push(await gateway.signIn(asked, given)))).toBe(1);
    expect(new Set(replies.map(shown)).size).toBe(1);
    expect([replies[0]!.status, replies[0]!.json.error.code]).toEqual([401, "invalid_credentials"]);
    expect(replies[0]!.headers["set-cookie"]).toBeUndefined();
  });

  test("a suspended account with a wrong password looks like any other", async () => {
    const { email, id } = await gateway.verifiedPerson();
    const before = shown(await gateway.signIn(email, "wrong"));
    await setSuspended(gateway.context.db, id, new Date());
    expect(shown(await gateway.signIn(email, "wrong"))).toBe(before);
  });
});

test("403 permission_denied: suspended, shown only with the right password; no session is opened", async () => {
  const { email, id } = await gateway.verifiedPerson();
  await setSuspended(gateway.context.db, id, new Date());
  const sessions = () => gateway.rows("select 1 from session where account_id = $1", [id]);
  const before = (await sessions()).length;
  const { status, json } = await gateway.signIn(email);
  expect([status, json.error.code, (await sessions()).length]).toEqual([403, "permission_denied", before]);
  await setSuspended(gateway.context.db, id, null);
  expect((await gateway.signIn(email)).status).toBe(200);
});

test("503 overloaded: sign-ins to more accounts at once than can be worked on; those taken on are answered", async () => {
  const { email, id } = await gateway.verifiedPerson();
  const emails = Array.from({ length: 150 }, () => gateway.newEmail());
  await gateway.rows(
    `insert into account (email, email_norm, email_verified_at, password_hash)
     select taken, taken, email_verified_at, password_hash from account, unnest($2::text[]) as taken where id = $1`,
    [id, emails],
  );
  const replies = await atShippedCost(() => Promise.all(emails.map((one) => gateway.signIn(one, "a wrong password"))));
  const statuses = replies.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401, 503]));
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(66);
  expect(replies.find(({ status }) => status === 503)!.json.error.code).toBe("overloaded");
  expect((await gateway.signIn(email)).status).toBe(200);
});

describe("429 rate_limit_exceeded", () => {
  test("the eleventh by one client for one address within a minute, whatever its case; its owner and another address are not kept out", () =>
    withinOneMinute(async () => {
      const [{ email }, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
      const from = (asked: string, given: string) => gateway.post("/v1/auth/signin", { email: asked, password: given }, "192.0.2.2");
      for (let n = 0; n < 10; n++) expect((await from(email, "wrong")).status).toBe(401);
      const { status, json, headers } = await from(email.toUpperCase(), password);
      expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
      expect(headers).toMatchObject({ "retry-after": "60", "x-ratelimit-limit-requests": "10", "x-ratelimit-remaining-requests": "0" });
      expect((await from(other.email, password)).status).toBe(200);
      expect((await gateway.signIn(email)).status).toBe(200);
    }));

  let client = 0;
  test("the 61st of one client, which uses up nothing of the address that it asks about", () =>
    withinOneMinute(async () => {
      const address = `198.51.100.${++client}`;
      const { email } = await gateway.verifiedPerson();
      const from = (body: object) => gateway.post("/v1/auth/signin", body, address);
      for (let n = 0; n < 60; n++) expect((await from({ email: gateway.newEmail(), password })).status).toBe(401);
      for (let n = 0; n < 10; n++) expect((await from({ email, password })).status).toBe(429);
      expect((await gateway.signIn(email)).status).toBe(200);
    }));
});
