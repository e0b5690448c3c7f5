// POST /v1/auth/verify over HTTP: by token and by code, once; the credit; and which password counts.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { signUp } from "../../../src/sign-in/sign-up.ts";
import { resendVerification, verifyByCode, verifyByToken } from "../../../src/sign-in/verify-email.ts";
import { awayFromMinuteEdge, withinOneMinute } from "../../limits/counted-database.ts";
import { codeIn, codeOf, password, shown, type SignInGateway, startSignInGateway, tokenIn, wrongCode } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
});

const verify = (body: object) => gateway.post("/v1/auth/verify", body);
const balanceOf = (key: string) => gateway.request("GET", "/v1/credits/balance", { key });
const session = (token: string) => gateway.request("GET", "/v1/auth/session", { key: token });
const accountIdOf = async (email: string) =>
  (await gateway.rows("select id from account where email_norm = lower($1)", [email]))[0]!.id as bigint;

async function signedUp(given?: { password?: string; name?: string }) {
  const email = gateway.newEmail();
  await gateway.signUp(email, given);
  return { email, mail: await gateway.mailTo(email) };
}

describe("200", () => {
  test("by token: verified, 0.50 USD of credit, signed in, the default key shown", async () => {
    const { email, mail } = await signedUp({ name: "Ada" });
    const { status, json, headers } = await verify({ token: tokenIn(mail) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ user: { email, email_verified: true, name: "Ada", tier: 0 }, credit_granted_usd: 0.5 });
    expect(headers["set-cookie"]).toMatch(
      new RegExp(`^__Host-svc_session=${json.session_token}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=\\d+$`),
    );
    expect(headers["cache-control"]).toBe("no-store");
    expect((await session(json.session_token)).json).toEqual({ user: json.user, expires_at: json.expires_at, csrf_token: json.csrf_token });
    expect((await balanceOf(json.api_key)).json).toMatchObject({ balance: 0.5, lifetime_earned: 0.5, lifetime_purchased: 0 });
    expect((await gateway.signIn(email)).status).toBe(200);
  });

  test("by address and code, whatever the address's case and the code's spaces", async () => {
    const { email, mail } = await signedUp();
    const code = codeIn(mail);
    const { status, json } = await verify({ email: email.toUpperCase(), code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect([status, json.user.email_verified, json.credit_granted_usd]).toEqual([200, true, 0.5]);
  });

  test("a signup credit that an operator gave before is not given again", async () => {
    const { email } = await gateway.createAccount({ verified: false, signupCredit: true });
    await gateway.signUp(email);
    const { json } = await verify({ token: tokenIn(await gateway.mailTo(email)) });
    expect(json.credit_granted_usd).toBe(0);
    expect((await balanceOf(json.api_key)).json.balance).toBe(0.5);
  });

  describe("several sign-ups of one address wait: whichever mail is answered, none of their passwords counts", () => {
    const contested = async () => {
      const { email, mail: first } = await signedUp({ password: "squatter's one", name: "Squatter" });
      await gateway.signUp(email, { name: "Ada" });
      return { email, first, second: await gateway.mailTo(email) };
    };
    const expectNobodyIn = async (email: string) => {
      for (const given of ["squatter's one", password]) expect((await gateway.signIn(email, given)).status).toBe(401);
    };

    test.each(["first", "second"] as const)("the %s mail; the owner sets one by the mail of a forgotten password", async (which) => {
      const { email, ...mails } = await contested();
      const { json } = await verify({ token: tokenIn(mails[which]) });
      expect(json).toMatchObject({ user: { name: null, email_verified: true }, credit_granted_usd: 0.5 });
      await expectNobodyIn(email);
      expect(codeOf(await verify({ token: tokenIn(mails[which === "first" ? "second" : "first"]) }))).toEqual([400, "used_token", "token"]);
      await gateway.post("/v1/auth/password/forgot", { email });
      const token = tokenIn(await gateway.mailTo(email));
      expect((await gateway.post("/v1/auth/password/reset", { token, password: "the owner's own" })).status).toBe(200);
      expect((await gateway.signIn(email, "the owner's own")).status).toBe(200);
    });

    test("the mail that was asked for again", async () => {
      const { email } = await contested();
      await gateway.post("/v1/auth/verify/resend", { email });
      expect((await verify({ token: tokenIn(await gateway.mailTo(email)) })).status).toBe(200);
      await expectNobodyIn(email);
    });
  });

  test("a stranger signed up, and the owner asks for a new password: the verification that follows holds no password", async () => {
    const { email } = await signedUp({ password: "squatter's one" });
    await gateway.post("/v1/auth/password/forgot", { email });
    expect((await verify({ token: tokenIn(await gateway.mailTo(email)) })).status).toBe(200);
    expect((await gateway.signIn(email, "squatter's one")).status).toBe(401);
  });

  test("an account that an operator made: the sign-up's password holds, its keys and its money stay", async () => {
    const account = await gateway.createAccount({ verified: false, deposit: "5" });
    await gateway.signUp(account.email);
    const { json } = await verify({ token: tokenIn(await gateway.mailTo(account.email)) });
    for (const key of [json.api_key, account.key]) expect((await balanceOf(key)).json.balance).toBe(5.5);
    expect((await gateway.signIn(account.email)).status).toBe(200);
  });

  test("50 answers to one mail at once: one counts, one credit, one key, one session", async () => {
    const { email, mail } = await signedUp();
    const at = gateway.context.clock();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        index % 2 === 0
          ? verifyByToken(gateway.context, { token: tokenIn(mail), client: "10.0.0.1", at })
          : verifyByCode(gateway.context, { email, code: codeIn(mail), client: "10.0.0.1", at }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [(outcome.reason as { code: string }).code] : []));
    expect(new Set(refused)).toEqual(new Set(["used_token"]));
    const id = await accountIdOf(email);
    const [counts] = await gateway.rows(
      `select (select count(*)::int from ledger_entry where account_id = $1) as credits,
         (select count(*)::int from api_key where account_id = $1) as keys, (select count(*)::int from session where account_id = $1) as sessions`,
      [id],
    );
    expect(counts).toEqual({ credits: 1, keys: 1, sessions: 1 });
  });

  test("answers to ten mails of one address at once: one counts", async () => {
    const email = gateway.newEmail();
    const at = gateway.context.clock();
    for (let n = 0; n < 10; n++) await signUp(gateway.context, { email, password: `password ${n}`, name: null, client: "192.0.2.1", at });
    const mails = gateway.mails.filter(({ to }) => to === email);
    const outcomes = await Promise.allSettled(
      mails.map((mail) => verifyByToken(gateway.context, { token: tokenIn(mail), client: "10.0.0.1", at })),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(1);
    const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [(outcome.reason as { code: string }).code] : []));
    expect(refused).toEqual(Array(9).fill("used_token"));
  });
});

describe("400", () => {
  test.each([
    [{ token: "x" }, "invalid_token", "token"],
    [{ token: `svcm_${"A".repeat(43)}` }, "invalid_token", "token"],
    [{ token: `svcs_${"A".repeat(43)}` }, "invalid_token", "token"],
    [{ email: "nobody@example.com", code: "123456" }, "invalid_token", "code"],
    [{ email: "nobody@example.com", code: "é" }, "invalid_token", "code"],
  ])("%j: %s on %s", async (body, code, param) => {
    expect(codeOf(await verify(body))).toEqual([400, code, param]);
  });

  test.each([[{}], [{ email: "a@example.com" }], [{ code: "123456" }], [{ token: "" }]])(
    "%j: neither token nor address and code",
    async (body) => {
      expect((await verify(body)).status).toBe(400);
    },
  );

  test("used_token: a mail works once, by token and by code", async () => {
    const { email, mail } = await signedUp();
    expect((await verify({ token: tokenIn(mail) })).status).toBe(200);
    expect(codeOf(await verify({ token: tokenIn(mail) }))).toEqual([400, "used_token", "token"]);
    expect(codeOf(await verify({ email, code: codeIn(mail) }))).toEqual([400, "used_token", "code"]);
  });

  test("expired_token: after a day, by token and by code", async () => {
    const { email, mail } = await signedUp();
    gateway.pass(24 * 60 * 60 * 1000);
    expect(codeOf(await verify({ token: tokenIn(mail) }))).toEqual([400, "expired_token", "token"]);
    expect(codeOf(await verify({ email, code: codeIn(mail) }))).toEqual([400, "expired_token", "code"]);
  });

  test("the token of a password mail verifies nothing", async () => {
    const { email, mail } = await signedUp();
    await verify({ token: tokenIn(mail) });
    await gateway.post("/v1/auth/password/forgot", { email });
    expect(codeOf(await verify({ token: tokenIn(await gateway.mailTo(email)) }))).toEqual([400, "invalid_token", "token"]);
  });

  test("an unknown address, a wrong code and another's code look the same", async () => {
    const [ada, bob] = [await signedUp(), await signedUp()];
    const replies = [
      await verify({ email: gateway.newEmail(), code: codeIn(ada.mail) }),
      await verify({ email: ada.email, code: wrongCode(ada.mail) }),
      await verify({ email: ada.email, code: codeIn(bob.mail) === codeIn(ada.mail) ? wrongCode(ada.mail) : codeIn(bob.mail) }),
    ];
    expect(new Set(replies.map(shown)).size).toBe(1);
    expect(codeOf(replies[0]!)).toEqual([400, "invalid_token", "code"]);
  });

  test("after ten wrong codes the code is worth nothing; the link still is, and so is the code of a new mail", async () => {
    const { email, mail } = await signedUp();
    for (let n = 0; n < 10; n++) expect((await verify({ email, code: wrongCode(mail) })).status).toBe(400);
    expect(codeOf(await verify({ email, code: codeIn(mail) }))).toEqual([400, "invalid_token", "code"]);
    await gateway.post("/v1/auth/verify/resend", { email });
    expect((await verify({ email, code: codeIn(await gateway.mailTo(email)) })).status).toBe(200);
  });

  test("after a hundred wrong codes in a day new mails bring no new guesses; the link still works", async () => {
    const { email } = await signedUp();
    const at = gateway.context.clock();
    const guess = (code: string) =>
      verifyByCode(gateway.context, { email, code, client: "10.0.0.1", at }).catch((error: { code: string }) => error.code);
    for (let mails = 0; mails < 10; mails++) {
      await resendVerification(gateway.context, { email, at });
      for (let n = 0; n < 10; n++) await guess("none");
    }
    await resendVerification(gateway.context, { email, at });
    const last = await gateway.mailTo(email);
    expect(await guess(codeIn(last))).toBe("invalid_token");
    expect((await verify({ token: tokenIn(last) })).status).toBe(200);
  });
});

test("403 permission_denied: the account is suspended; the mail works again when it is not", async () => {
  const { email, mail } = await signedUp();
  await setSuspended(gateway.context.db, await accountIdOf(email), new Date());
  expect(codeOf(await verify({ token: tokenIn(mail) }))).toEqual([403, "permission_denied", null]);
  await setSuspended(gateway.context.db, await accountIdOf(email), null);
  expect((await verify({ token: tokenIn(mail) })).status).toBe(200);
});

describe("POST /v1/auth/verify/resend", () => {
  const resend = (email: string) => gateway.post("/v1/auth/verify/resend", { email });

  test("always 202, byte for byte the same; a mail only for an address that waits for one", async () => {
    const { email } = await signedUp();
    const verified = gateway.newEmail();
    await gateway.signUpVerified(verified);
    const mails = gateway.mails.length;
    const replies = [await resend(email), await resend(verified), await resend(gateway.newEmail())];
    expect(new Set(replies.map(shown)).size).toBe(1);
    expect([replies[0]!.status, replies[0]!.json]).toEqual([202, { accepted: true }]);
    expect(gateway.mails.slice(mails).map(({ to }) => to)).toEqual([email]);
  });

  test("the new mail carries the password and the name of the sign-up", async () => {
    const { email, mail: first } = await signedUp({ name: "Ada" });
    await resend(email);
    const second = await gateway.mailTo(email);
    expect(tokenIn(second)).not.toBe(tokenIn(first));
    expect((await verify({ token: tokenIn(second) })).json.user.name).toBe("Ada");
    expect((await gateway.signIn(email, password)).status).toBe(200);
  });

  test("nothing to send again once the last mail has expired: sign up again", async () => {
    const { email } = await signedUp();
    gateway.pass(24 * 60 * 60 * 1000);
    const mails = gateway.mails.length;
    await resend(email);
    expect(gateway.mails.length).toBe(mails);
    await gateway.signUp(email);
    expect((await verify({ token: tokenIn(await gateway.mailTo(email)) })).status).toBe(200);
  });
});

describe("429 rate_limit_exceeded", () => {
  test("the 101st code for one address within a minute, whatever its case and from whichever network; another address still passes", () =>
    withinOneMinute(async () => {
      const [{ email }, other] = [await signedUp(), await signedUp()];
      const spelt = (client: number) => (client % 2 === 0 ? email : email.toUpperCase());
      const guess = (client: number) => gateway.post("/v1/auth/verify", { email: spelt(client), code: "none" }, `192.0.3.${client}`);
      for (let client = 0; client < 100; client++) expect((await guess(client)).status).toBe(400);
      const { status, json, headers } = await guess(100);
      expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
      expect(headers).toMatchObject({ "retry-after": "60", "x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "0" });
      expect((await verify({ email: other.email, code: codeIn(other.mail) })).status).toBe(200);
    }));

  test("the sixth mail requested by one client for one address within a minute; its owner is not locked out", async () => {
    await awayFromMinuteEdge();
    const resend = (email: string, client = "192.0.2.9") => gateway.post("/v1/auth/verify/resend", { email }, client);
    const email = gateway.newEmail();
    for (let n = 0; n < 5; n++) expect((await resend(email)).status).toBe(202);
    expect(codeOf(await resend(email))).toEqual([429, "rate_limit_exceeded", null]);
    expect((await resend(gateway.newEmail())).status).toBe(202);
    expect((await resend(email, "192.0.2.10")).status).toBe(202);
  });
});
