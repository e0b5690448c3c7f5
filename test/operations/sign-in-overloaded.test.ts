// 503 overloaded of the operations that come without a credential: the database is away, or too many passwords are being worked on.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { hashPassword } from "../../src/accounts/passwords.ts";
import { password, type SignInGateway, startSignInGateway, tokenIn } from "../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

const token = `svcm_${"A".repeat(43)}`;
const email = "ada@example.com";
const asked: [string, object][] = [
  ["/v1/auth/signup", { email, password }],
  ["/v1/auth/verify", { token }],
  ["/v1/auth/verify", { email, code: "123456" }],
  ["/v1/auth/verify/resend", { email }],
  ["/v1/auth/password/forgot", { email }],
  ["/v1/auth/password/reset", { token, password }],
  ["/v1/auth/signin", { email, password }],
];

test.each(asked)("%s %j: the database starts up; come back in 5 s", async (path, body) => {
  const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  const { pool } = gateway.context.db;
  const spies = [vi.spyOn(pool, "query"), vi.spyOn(pool, "connect")];
  for (const spy of spies) spy.mockRejectedValue(away as never);
  const { status, json, headers } = await gateway.post(path, body).finally(() => spies.forEach((spy) => spy.mockRestore()));
  expect([status, json.error.code]).toEqual([503, "overloaded"]);
  expect(headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
});

test("too many passwords at once: nothing is changed, and a mail's token works afterwards", async () => {
  const person = gateway.newEmail();
  await gateway.signUpVerified(person);
  await gateway.post("/v1/auth/password/forgot", { email: person });
  const reset = { token: tokenIn(await gateway.mailTo(person)), password: "another good phrase" };
  const busy = () => Promise.allSettled(Array.from({ length: 80 }, () => hashPassword("any")));
  for (const [path, body] of [
    ["/v1/auth/signup", { email: gateway.newEmail(), password }],
    ["/v1/auth/signin", { email: person, password }],
    ["/v1/auth/password/reset", reset],
  ] as const) {
    const hashing = busy();
    const { status, json } = await gateway.post(path, body);
    expect([path, status, json.error.code]).toEqual([path, 503, "overloaded"]);
    await hashing;
  }
  expect((await gateway.post("/v1/auth/password/reset", reset)).status).toBe(200);
});
