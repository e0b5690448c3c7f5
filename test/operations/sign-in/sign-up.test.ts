// POST /v1/auth/signup over HTTP: what it creates, and that replies don't reveal whether an address has an account.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signUp } from "../../../src/sign-in/sign-up.ts";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { argon2Runs, codeIn, password, shown, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

describe("201", () => {
  test("an account that is not verified, without a key and without credit, and a mail with link and code", async () => {
    const email = gateway.newEmail();
    const { status, json, headers } = await gateway.signUp(email, { name: " Ada " });
    expect(status).toBe(201);
    expect(json).toEqual({
      user: {
        ...{ id: expect.stringMatching(/^usr_[0-9a-f]{32}$/), email, email_verified: false, name: "Ada", tier: 0 },
        created_at: gateway.context.clock().toISOString(),
      },
      verification_required: true,
    });
    expect(headers["set-cookie"]).toBeUndefined();
    const rows = await gateway.rows(
      `select user_id, password_hash, (select count(*)::int from api_key k where k.account_id = a.id) as keys, available
       from account a join balance b on b.account_id = a.id where email = $1`,
      [email],
    );
    expect(rows).toEqual([{ user_id: expect.any(String), password_hash: null, keys: 0, available: 0n }]);
    const kept = await gateway.rows("select v.password_hash from verification v join account a on a.id = v.account_id where a.email = $1", [
      email,
    ]);
    expect(kept).toEqual([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }]);
    expect(`usr_${String(rows[0]!.user_id).replaceAll("-", "")}`).toBe(json.user.id);
    const mail = await gateway.mailTo(email);
    expect(mail.text).toContain(`${gateway.url}/console/verify#token=${tokenIn(mail)}`);
    expect(mail.text).toContain(`curl ${gateway.url}/v1/auth/verify`);
    expect(codeIn(mail)).toMatch(/^\d{6}$/);
  });

  test.each([[undefined], [""], ["   "]])("name %j is no name", async (name) => {
    const { status, json } = await gateway.signUp(gateway.newEmail(), name === undefined ? {} : { name });
    expect([status, json.user.name]).toEqual([201, null]);
  });

  test("neither password nor token nor code is kept in clear", async () => {
    const email = gateway.newEmail();
    await gateway.signUp(email);
    const mail = await gateway.mailTo(email);
    const [kept] = await gateway.rows(
      "select row_to_json(a)::text || row_to_json(v)::text as text from account a join verification v on v.account_id = a.id where email = $1",
      [email],
    );
    for (const secret of [password, tokenIn(mail), `"${codeIn(mail)}"`]) expect(kept!.text).not.toContain(secret);
  });
});

describe("201 for an address that has an account", () => {
  test("the same bytes, ids and dates aside, and another id than the account's, whatever the case of the address", async () => {
    const [fresh, waiting, verified] = [gateway.newEmail(), gateway.newEmail(), gateway.newEmail()];
    await gateway.signUp(waiting);
    const owner = await gateway.signUpVerified(verified);
    const replies = [await gateway.signUp(fresh), await gateway.signUp(waiting), await gateway.signUp(verified)];
    expect(new Set(replies.map(shown)).size).toBe(1);
    expect(replies[2]!.json.user.id).not.toBe(owner.json.user.id);
    const again = await gateway.signUp(verified.toUpperCase());
    expect(again.json.user).toMatchObject({ email: verified.toUpperCase(), email_verified: false });
    expect((await gateway.rows("select 1 from account where email_norm = $1", [verified])).length).toBe(1);
  });

  test("the password is hashed once for every address", async () => {
    const [fresh, waiting, verified] = [gateway.newEmail(), gateway.newEmail(), gateway.newEmail()];
    await gateway.signUp(waiting);
    await gateway.signUpVerified(verified);
    for (const email of [fresh, waiting, verified]) expect(await argon2Runs(() => gateway.signUp(email))).toBe(1);
  });

  test("verified: a mail that says so, and nothing else changes", async () => {
    const email = gateway.newEmail();
    await gateway.signUpVerified(email);
    const account = () => gateway.rows("select * from account where email = $1", [email]);
    const before = await account();
    await gateway.signUp(email, { password: "another password", name: "Eve" });
    const mail = await gateway.mailTo(email);
    expect(mail.subject).toBe("You already have an account");
    expect(mail.text).not.toMatch(/svcm_/);
    expect(await account()).toEqual(before);
    expect((await gateway.signIn(email, "another password")).status).toBe(401);
    expect((await gateway.signIn(email)).status).toBe(200);
  });

  test("not verified: a second mail with its own link; no sign-in yet", async () => {
    const email = gateway.newEmail();
    await gateway.signUp(email);
    const first = await gateway.mailTo(email);
    await gateway.signUp(email, { password: "another password" });
    expect(tokenIn(await gateway.mailTo(email))).not.toBe(tokenIn(first));
    for (const given of [password, "another password"]) expect((await gateway.signIn(email, given)).status).toBe(401);
  });

  test("20 sign-ups of one address at once: 20 mails, one account", async () => {
    const email = gateway.newEmail();
    const at = gateway.context.clock();
    const users = await Promise.all(
      Array.from({ length: 20 }, () => signUp(gateway.context, { email, password, name: null, client: "192.0.2.1", at })),
    );
    expect(new Set(users.map(({ id }) => id)).size).toBe(20);
    const rows = await gateway.rows(
      "select (select count(*)::int from verification v where v.account_id = a.id) as mails from account a where email = $1",
      [email],
    );
    expect(rows).toEqual([{ mails: 20 }]);
    expect(gateway.mails.filter(({ to }) => to === email).length).toBe(20);
  });
});

describe("400", () => {
  test.each([
    [{ email: "ada", password }, "invalid_parameter", "email"],
    [{ email: "a b@example.com", password }, "invalid_parameter", "email"],
    [{ email: "a@b@example.com", password }, "invalid_parameter", "email"],
    [{ email: "a,b@example.com", password }, "invalid_parameter", "email"],
    [{ email: "<a@example.com>", password }, "invalid_parameter", "email"],
    [{ email: `${"a".repeat(251)}@b.c`, password }, "invalid_parameter", "email"],
    [{ email: "ada@example.com", password: "1234567" }, "invalid_parameter", "password"],
    [{ email: "ada@example.com", password: "x".repeat(201) }, "invalid_parameter", "password"],
    [{ email: "ada@example.com", password, name: "x".repeat(101) }, "invalid_parameter", "name"],
    [{ email: "ada@example.com" }, "missing_parameter", "password"],
    [{ password }, "missing_parameter", "email"],
  ])("%j: %s on %s, no account and no mail", async (body, code, param) => {
    const mails = gateway.mails.length;
    const { status, json } = await gateway.post("/v1/auth/signup", body);
    expect([status, json.error.code, json.error.param]).toEqual([400, code, param]);
    expect(gateway.mails.length).toBe(mails);
  });
});

test("429 rate_limit_exceeded: the sixth sign-up of one address by one client within a minute, whatever its case; another client and another address still pass", async () => {
  await awayFromMinuteEdge();
  const email = gateway.newEmail();
  const from = (asked: string) => gateway.post("/v1/auth/signup", { email: asked, password }, "192.0.2.1");
  for (let n = 0; n < 5; n++) expect((await from(email)).status).toBe(201);
  const { status, json, headers } = await from(email.toUpperCase());
  expect([status, json.error.code]).toEqual([429, "rate_limit_exceeded"]);
  expect(headers).toMatchObject({ "retry-after": "60", "x-ratelimit-limit-requests": "5", "x-ratelimit-remaining-requests": "0" });
  expect((await from(gateway.newEmail())).status).toBe(201);
  expect((await gateway.signUp(email)).status).toBe(201);
});
