// POST /v1/auth/password/forgot and /reset over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { resetPassword } from "../../../src/sign-in/password.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { codeOf, shown, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

const forgot = (email: string) => gateway.post("/v1/auth/password/forgot", { email });
const reset = (token: string, password = "another good phrase") => gateway.post("/v1/auth/password/reset", { token, password });

async function forgetful() {
  const person = await gateway.verifiedPerson();
  await forgot(person.email);
  return { ...person, mailed: tokenIn(await gateway.mailTo(person.email)) };
}

describe("forgot", () => {
  test("always 202, byte for byte the same; a mail with a link only where there is an account", async () => {
    const { email } = await gateway.verifiedPerson();
    const mails = gateway.mails.length;
    const replies = [await forgot(email), await forgot(gateway.newEmail())];
    expect(new Set(replies.map(shown)).size).toBe(1);
    expect([replies[0]!.status, replies[0]!.json]).toEqual([202, { accepted: true }]);
    expect(gateway.mails.slice(mails).map(({ to }) => to)).toEqual([email]);
    const mail = await gateway.mailTo(email);
    expect(mail.text).toContain(`${gateway.url}/console/reset-password#token=${tokenIn(mail)}`);
  });

  test("the mail goes to the address as it was signed up, whatever the case that is asked with", async () => {
    const { email } = await gateway.verifiedPerson();
    const mails = gateway.mails.length;
    await forgot(email.toUpperCase());
    expect(gateway.mails.slice(mails).map(({ to }) => to)).toEqual([email]);
  });

  test("an address that was never verified gets its verification again, the same 202", async () => {
    const email = gateway.newEmail();
    await gateway.signUp(email);
    expect((await forgot(email)).json).toEqual({ accepted: true });
    const token = tokenIn(await gateway.mailTo(email));
    expect(codeOf(await reset(token))).toEqual([400, "invalid_token", "token"]);
    expect((await gateway.post("/v1/auth/verify", { token })).status).toBe(200);
  });

  test("429 rate_limit_exceeded: the sixth mail for one address by one client within a minute; its owner still gets one", async () => {
    await awayFromMinuteEdge();
    const { email } = await gateway.verifiedPerson();
    const from = (asked: string) => gateway.post("/v1/auth/password/forgot", { email: asked }, "192.0.2.3");
    for (let n = 0; n < 5; n++) expect((await from(email)).status).toBe(202);
    expect(codeOf(await from(email.toUpperCase()))).toEqual([429, "rate_limit_exceeded", null]);
    for (const reply of [await from(gateway.newEmail()), await forgot(email)]) expect(reply.status).toBe(202);
  });
});

describe("reset", () => {
  test("200: the new password holds, every session has ended, keys stay", async () => {
    const { email, token, key, mailed } = await forgetful();
    const { status, json } = await reset(mailed);
    expect([status, json.user]).toMatchObject([200, { email, email_verified: true }]);
    expect((await gateway.signIn(email)).status).toBe(401);
    expect((await gateway.signIn(email, "another good phrase")).status).toBe(200);
    expect((await gateway.request("GET", "/v1/auth/session", { key: token })).status).toBe(401);
    expect((await gateway.request("GET", "/v1/credits/balance", { key })).status).toBe(200);
  });

  test("an account that an operator made gets its first password so", async () => {
    const { email } = await gateway.createAccount();
    await forgot(email);
    expect((await reset(tokenIn(await gateway.mailTo(email)))).status).toBe(200);
    expect((await gateway.signIn(email, "another good phrase")).status).toBe(200);
  });

  test("400 invalid_token: malformed, unknown, or a verification's", async () => {
    const email = gateway.newEmail();
    await gateway.signUp(email);
    for (const token of ["x", `svcm_${"A".repeat(43)}`, tokenIn(await gateway.mailTo(email))])
      expect(codeOf(await reset(token))).toEqual([400, "invalid_token", "token"]);
  });

  test("400 used_token: works once, and an older mail's token ends with it", async () => {
    const { email, mailed } = await forgetful();
    await forgot(email);
    const second = tokenIn(await gateway.mailTo(email));
    expect((await reset(second)).status).toBe(200);
    expect(codeOf(await reset(second, "a third good phrase"))).toEqual([400, "used_token", "token"]);
    expect(codeOf(await reset(mailed, "a third good phrase"))).toEqual([400, "used_token", "token"]);
    expect((await gateway.signIn(email, "another good phrase")).status).toBe(200);
  });

  test("400 expired_token: after an hour; the password stays", async () => {
    const { email, mailed } = await forgetful();
    gateway.pass(60 * 60 * 1000);
    expect(codeOf(await reset(mailed))).toEqual([400, "expired_token", "token"]);
    expect((await gateway.signIn(email)).status).toBe(200);
  });

  test.each(["1234567", "x".repeat(201)])("400 invalid_parameter: the password %j; the token still works", async (password) => {
    const { mailed } = await forgetful();
    expect(codeOf(await reset(mailed, password))).toEqual([400, "invalid_parameter", "password"]);
    expect((await reset(mailed)).status).toBe(200);
  });

  test("403 permission_denied: the account is suspended; the token works again when it is not", async () => {
    const { id, mailed } = await forgetful();
    await setSuspended(gateway.context.db, id, new Date());
    expect(codeOf(await reset(mailed))).toEqual([403, "permission_denied", null]);
    await setSuspended(gateway.context.db, id, null);
    expect((await reset(mailed)).status).toBe(200);
  });

  test("20 resets by one token at once: one password holds, the one whose reply was 200", async () => {
    const { email, mailed } = await forgetful();
    const at = gateway.context.clock();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => resetPassword(gateway.context, { token: mailed, password: `good phrase ${n}`, at })),
    );
    const winners = outcomes.flatMap(({ status }, n) => (status === "fulfilled" ? [n] : []));
    expect(winners.length).toBe(1);
    expect((await gateway.signIn(email, `good phrase ${winners[0]}`)).status).toBe(200);
  });

  test("a sign-in with the old password beside a reset leaves no session behind", async () => {
    const { email, id, mailed } = await forgetful();
    await Promise.all([reset(mailed), ...Array.from({ length: 10 }, () => gateway.signIn(email))]);
    expect(await gateway.rows("select 1 from session where account_id = $1", [id])).toEqual([]);
  });

  test("429 rate_limit_exceeded: the 21st try of one client within a minute, all addresses of an IPv6 network being one", async () => {
    await awayFromMinuteEdge();
    const tryFrom = (client: string) => gateway.post("/v1/auth/password/reset", { token: "x", password: "another good phrase" }, client);
    for (let n = 0; n < 20; n++) expect((await tryFrom("2001:db8:1:2::1")).status).toBe(400);
    expect(codeOf(await tryFrom("2001:db8:1:2:ffff::2"))).toEqual([429, "rate_limit_exceeded", null]);
    expect((await tryFrom("2001:db8:1:3::1")).status).toBe(400);
  });
});
