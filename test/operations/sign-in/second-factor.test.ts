// The second factor: turned on with a first code, asked for at sign-in and confirmation, each code once, guesses bounded, turned off.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { base32 } from "../../../src/accounts/totp.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import type { TestReply } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";
import { makeOperator } from "../../support/operators.ts";
import { codeOfApp, guardedPerson } from "../../support/second-factor.ts";
import { password, type Person, type SignInGateway, startSignInGateway } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway({ SVC_OPERATORS_TOTP: "required" })));
afterAll(() => gateway.stop());

const codeOf = ({ status, json }: TestReply) => [status, json?.error?.code];
const ask = (method: string, path: string, key: string, body?: object) =>
  gateway.request(method, `/v1/auth/${path}`, { key, ...(body === undefined ? {} : { body }) });
const signIn = (email: string, code?: string, given = password) =>
  gateway.post("/v1/auth/signin", { email, password: given, ...(code === undefined ? {} : { code }) });
const state = async (key: string) => (await ask("GET", "totp", key)).json;

const currentCode = (person: Pick<Person, "id">, ahead?: number) => codeOfApp(gateway, person, ahead);
const wrong = async (person: Pick<Person, "id">) => String((Number(await currentCode(person)) + 1) % 1_000_000).padStart(6, "0");

const guarded = () => guardedPerson(gateway);

describe("turning it on", () => {
  test("sign-in asks for a code only once a first code was given; the secret and the recovery codes are shown once", async () => {
    const person = await gateway.verifiedPerson();
    const begun = await ask("POST", "totp", person.token);
    expect(begun.json.otpauth_uri).toContain(`secret=${begun.json.secret as string}`);
    expect((await signIn(person.email)).status).toBe(200);
    expect(codeOf(await ask("POST", "totp/confirm", person.token, { code: await wrong(person) }))).toEqual([400, "invalid_token"]);
    expect(await state(person.token)).toMatchObject({ enabled: false, enabled_at: null, recovery_codes_left: 0 });
    const { json } = await ask("POST", "totp/confirm", person.token, { code: await currentCode(person) });
    expect(json.recovery_codes).toHaveLength(10);
    expect(await state(person.token)).toMatchObject({ enabled: true, recovery_codes_left: 10 });
    expect(codeOf(await signIn(person.email))).toEqual([401, "totp_required"]);
    const stored = JSON.stringify(await gateway.rows("select hash from recovery_code where account_id = $1", [person.id]));
    expect(stored).not.toContain(json.recovery_codes[0]);
  });

  test("409 not_possible: nothing was begun, or it is on already", async () => {
    const person = await gateway.verifiedPerson();
    expect(codeOf(await ask("POST", "totp/confirm", person.token, { code: "123456" }))).toEqual([409, "not_possible"]);
    const { token } = await guarded();
    expect(codeOf(await ask("POST", "totp", token))).toEqual([409, "not_possible"]);
    expect(codeOf(await ask("POST", "totp/confirm", token, { code: "123456" }))).toEqual([409, "not_possible"]);
    expect(codeOf(await ask("POST", "totp/confirm", token, { code: "1" }))).toEqual([400, "invalid_parameter"]);
  });

  test("403 confirmation_required: an old session neither begins nor ends it", async () => {
    const person = await gateway.verifiedPerson();
    gateway.pass(15 * 60_000);
    for (const method of ["POST", "DELETE"])
      expect(codeOf(await ask(method, "totp", person.token))).toEqual([403, "confirmation_required"]);
    expect((await ask("POST", "session/confirm", person.token, { password })).status).toBe(200);
    expect((await ask("POST", "totp", person.token)).status).toBe(200);
  });
});

describe("requests at once", () => {
  test("two first codes turn it on once, and the recovery codes that are shown are those that work", async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await gateway.verifiedPerson();
      await ask("POST", "totp", person.token);
      const codes = [await currentCode(person), await currentCode(person, 1)];
      const replies = await Promise.all(codes.map((code) => ask("POST", "totp/confirm", person.token, { code })));
      const [on, ...more] = replies.filter(({ status }) => status === 200);
      expect([on?.status, more]).toEqual([200, []]);
      gateway.pass(60_000);
      expect((await signIn(person.email, on!.json.recovery_codes[0] as string)).status).toBe(200);
    }
  });

  test("a code of one secret never turns on another that was begun meanwhile", async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await gateway.verifiedPerson();
      const { json: first } = await ask("POST", "totp", person.token);
      const code = await currentCode(person);
      const [confirmed, again] = await Promise.all([
        ask("POST", "totp/confirm", person.token, { code }),
        ask("POST", "totp", person.token),
      ]);
      const [row] = await gateway.rows("select secret, confirmed_at is not null as on from totp where account_id = $1", [person.id]);
      const secret = base32(row!["secret"] as Buffer);
      expect(row!["on"]).toBe(confirmed.status === 200);
      expect(secret).toBe(confirmed.status === 200 ? first.secret : again.json.secret);
    }
  });

  test("401 invalid_api_key: one that waited until the account was deleted leaves no secret", async () => {
    const person = await gateway.verifiedPerson();
    const { db } = gateway.context;
    const replies = await inTransaction(db, async ({ pool }) => {
      await pool.query("select 1 from account where id = $1 for no key update", [person.id]);
      const removed = gateway.request("DELETE", "/v1/account?forfeit_balance=true", { key: person.token });
      await untilWaiting(db, "from member where person_id");
      const begun = ask("POST", "totp", person.token);
      await untilWaiting(db, "from account", 2);
      return [removed, begun];
    });
    const [removed, begun] = await Promise.all(replies);
    expect([removed!.status, ...codeOf(begun!)]).toEqual([200, 401, "invalid_api_key"]);
    expect(await gateway.rows("select 1 from totp where account_id = $1", [person.id])).toEqual([]);
  });
});

describe("signing in", () => {
  test("takes the app's code once, however many send it at the same time, and none from before it", async () => {
    const person = await guarded();
    const [code, before] = [await currentCode(person), await currentCode(person, -1)];
    const replies = await Promise.all([signIn(person.email, code), signIn(person.email, code), signIn(person.email, code)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(codeOf(await signIn(person.email, code))).toEqual([400, "invalid_token"]);
    expect(codeOf(await signIn(person.email, before))).toEqual([400, "invalid_token"]);
    gateway.pass(30_000);
    expect((await signIn(person.email, await currentCode(person))).status).toBe(200);
  });

  test("a wrong password is refused as ever, and its code is not used up", async () => {
    const person = await guarded();
    const code = await currentCode(person);
    expect(codeOf(await signIn(person.email, code, "wrong horse battery"))).toEqual([401, "invalid_credentials"]);
    expect((await signIn(person.email, code)).status).toBe(200);
  });

  test("takes each recovery code once, in any case", async () => {
    const person = await guarded();
    const [code] = person.codes;
    expect((await signIn(person.email, code!.toUpperCase().replaceAll("-", " "))).status).toBe(200);
    expect(codeOf(await signIn(person.email, code))).toEqual([400, "invalid_token"]);
    expect(await state(person.token)).toMatchObject({ recovery_codes_left: 9 });
  });

  test("429 rate_limit_exceeded after ten wrong codes in a row, for the right one too, until 15 minutes have passed", async () => {
    const person = await guarded();
    const guess = await wrong(person);
    for (let n = 0; n < 9; n++) expect(codeOf(await signIn(person.email, guess))).toEqual([400, "invalid_token"]);
    gateway.pass(60_000); // the limit of sign-ins by address is another one
    expect(codeOf(await signIn(person.email, guess))).toEqual([400, "invalid_token"]);
    expect(codeOf(await signIn(person.email, await currentCode(person)))).toEqual([429, "rate_limit_exceeded"]);
    gateway.pass(15 * 60_000);
    expect((await signIn(person.email, await currentCode(person))).status).toBe(200);
  });

  test("each further ten wrong ones close it for twice as long, up to four hours; the right one ends that", async () => {
    const person = await guarded();
    const guess = async () => {
      gateway.pass(7_000); // the limit of sign-ins by address is another one
      return codeOf(await signIn(person.email, await wrong(person)));
    };
    for (const minutes of [15, 30, 60, 120, 240, 240]) {
      for (let n = 0; n < 10; n++) expect(await guess()).toEqual([400, "invalid_token"]);
      gateway.pass((minutes - 1) * 60_000);
      const { status, headers } = await signIn(person.email, await currentCode(person));
      expect([minutes, status]).toEqual([minutes, 429]);
      expect(Number(headers["retry-after"])).toBeLessThanOrEqual(60);
      gateway.pass(60_000);
    }
    expect((await signIn(person.email, await currentCode(person))).status).toBe(200);
    for (let n = 0; n < 10; n++) expect(await guess()).toEqual([400, "invalid_token"]);
    gateway.pass(15 * 60_000);
    expect((await signIn(person.email, await currentCode(person))).status).toBe(200);
  });
});

describe("confirming a session", () => {
  test("takes the password and a code; one alone is not enough", async () => {
    const person = await guarded();
    const confirm = (body: object) => ask("POST", "session/confirm", person.token, body);
    expect(codeOf(await confirm({ code: await currentCode(person) }))).toEqual([400, "missing_parameter"]);
    expect(codeOf(await confirm({ password }))).toEqual([401, "totp_required"]);
    expect(codeOf(await confirm({ password, code: await wrong(person) }))).toEqual([400, "invalid_token"]);
    expect((await confirm({ password, code: await currentCode(person) })).status).toBe(200);
  });
});

test("the person is told of each recovery code that is used, of no code of the app, and once that it was turned off", async () => {
  const person = await guarded();
  const [first, second] = person.codes;
  await Promise.all([signIn(person.email, first), signIn(person.email, first), signIn(person.email, second)]);
  expect((await signIn(person.email, await currentCode(person))).status).toBe(200);
  for (const _ of [1, 2]) expect((await ask("DELETE", "totp", person.token)).status).toBe(204);
  const told = await gateway.rows(
    "select event, data, person_id as person from notice where account_id = $1 and event <> 'sign_in.new_place' order by event, data->'left' desc",
    [person.id],
  );
  const at = expect.any(String);
  expect(told).toEqual([
    { event: "recovery_code.used", data: { used_at: at, left: 9 }, person: person.id },
    { event: "recovery_code.used", data: { used_at: at, left: 8 }, person: person.id },
    { event: "totp.ended", data: { ended_at: at }, person: person.id },
  ]);
});

test("turned off, sign-in asks for no code, and its recovery codes are gone", async () => {
  const person = await guarded();
  expect((await ask("DELETE", "totp", person.token)).status).toBe(204);
  expect((await ask("DELETE", "totp", person.token)).status).toBe(204);
  expect(await state(person.token)).toMatchObject({ enabled: false, recovery_codes_left: 0 });
  expect((await signIn(person.email)).status).toBe(200);
});

test("a deleted account keeps neither secret nor recovery codes", async () => {
  const person = await guarded();
  const deleted = await gateway.request("DELETE", "/v1/account?forfeit_balance=true", { key: person.token });
  expect(deleted.status).toBe(200);
  for (const table of ["totp", "recovery_code"])
    expect(await gateway.rows(`select 1 from ${table} where account_id = $1`, [person.id])).toEqual([]);
});

describe("SVC_OPERATORS_TOTP=required", () => {
  test("403 permission_denied for an operator without a code in this session; a code opens it, turning it off closes it", async () => {
    const person = await gateway.verifiedPerson();
    await makeOperator(gateway, { accountId: person.id }, "admin");
    const me = async (key: string) => (await gateway.request("GET", "/v1/operator/me", { key })).status;
    expect(await me(person.token)).toBe(403);
    await ask("POST", "totp", person.token);
    const { token: other } = await gateway.createSession({ accountId: person.id } as Parameters<typeof gateway.createSession>[0]);
    await ask("POST", "totp/confirm", person.token, { code: await currentCode(person) });
    expect([await me(person.token), await me(other)]).toEqual([200, 403]);
    gateway.pass(60_000);
    const signedIn = await signIn(person.email, await currentCode(person));
    expect(await me(signedIn.json.session_token as string)).toBe(200);
    gateway.pass(60_000);
    await ask("POST", "session/confirm", other, { password, code: await currentCode(person) });
    expect(await me(other)).toBe(200);
    await ask("DELETE", "totp", other);
    expect([await me(person.token), await me(other)]).toEqual([403, 403]);
  });

  test("a person who is no operator still finds no such path", async () => {
    const { token } = await gateway.verifiedPerson();
    expect(codeOf(await gateway.request("GET", "/v1/operator/me", { key: token }))).toEqual([404, "endpoint_not_found"]);
  });
});
