// An account never has more than 20 unanswered mails of a kind, however they are requested, and no reply reveals it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { forgotPassword } from "../../../src/sign-in/password.ts";
import { signUp } from "../../../src/sign-in/sign-up.ts";
import { resendVerification } from "../../../src/sign-in/verify-email.ts";
import { inParallel } from "../../robustness/chat-client.ts";
import { password, shown, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

/** They wait for each other's lock, so that more would wait for a connection: on a slow machine for longer than one may. */
const atOnce = 8;
const hour = 60 * 60 * 1000;
const mailsTo = (email: string) => gateway.mails.filter(({ to }) => to === email).length;
/** Bypasses the throttle, which lets five a minute through. */
const asking = (email: string, at: Date) => ({
  signUp: () => signUp(gateway.context, { email, password, name: null, client: "192.0.2.1", at }),
  resend: () => resendVerification(gateway.context, { email, at }),
  forgot: () => forgotPassword(gateway.context, { email, at }),
});

test.each([["signUp"], ["resend"], ["forgot"]] as const)(
  "before the address is verified, by %s; a forgotten password is mailed anyway once it is",
  async (how) => {
    const email = gateway.newEmail();
    await gateway.signUp(email);
    const at = gateway.context.clock();
    await inParallel(30, atOnce, () => asking(email, at)[how]());
    expect(mailsTo(email)).toBe(20);
    const last = await gateway.mailTo(email);
    expect((await gateway.post("/v1/auth/verify", { token: tokenIn(last) })).status).toBe(200);
    await asking(email, at).forgot();
    expect(mailsTo(email)).toBe(21); // of another kind: a flood locks no user out
  },
);

test.each([["signUp"], ["forgot"]] as const)("of a verified account, by %s", async (how) => {
  const { email } = await gateway.verifiedPerson();
  const at = gateway.context.clock();
  await inParallel(30, atOnce, () => asking(email, at)[how]());
  expect(mailsTo(email)).toBe(21); // the verification, and these
  // Once the links of a flood are too old, the owner gets one that works.
  await asking(email, new Date(at.getTime() + hour)).forgot();
  expect(mailsTo(email)).toBe(22);
});

test("a sign-up that gets no mail any more leaves no password of the others either", async () => {
  const email = gateway.newEmail();
  const at = gateway.context.clock();
  await signUp(gateway.context, { email, password: "a stranger's", name: null, client: "192.0.2.1", at });
  for (let n = 0; n < 19; n++) await asking(email, at).resend();
  await signUp(gateway.context, { email, password, name: null, client: "192.0.2.1", at });
  expect(mailsTo(email)).toBe(20);
  expect((await gateway.post("/v1/auth/verify", { token: tokenIn(await gateway.mailTo(email)) })).status).toBe(200);
  for (const given of ["a stranger's", password]) expect((await gateway.signIn(email, given)).status).toBe(401);
});

test("a sign-up that was never answered still speaks against one of days later", async () => {
  const email = gateway.newEmail();
  const at = gateway.context.clock();
  await signUp(gateway.context, { email, password, name: null, client: "192.0.2.1", at: new Date(at.getTime() - 25 * hour) });
  await signUp(gateway.context, { email, password: "a stranger's", name: null, client: "192.0.2.1", at });
  expect((await gateway.post("/v1/auth/verify", { token: tokenIn(await gateway.mailTo(email)) })).status).toBe(200);
  expect((await gateway.signIn(email, "a stranger's")).status).toBe(401);
});

test("the replies are the same bytes, and another account gets its mails", async () => {
  const [flooded, other] = [await gateway.verifiedPerson(), await gateway.verifiedPerson()];
  const at = gateway.context.clock();
  for (let n = 0; n < 20; n++) await asking(flooded.email, at).forgot();
  for (const path of ["/v1/auth/signup", "/v1/auth/password/forgot", "/v1/auth/verify/resend"]) {
    const replies = [];
    for (const email of [flooded.email, other.email, gateway.newEmail()]) replies.push(await gateway.post(path, { email, password }));
    expect(new Set(replies.map(shown)).size).toBe(1);
  }
  expect([mailsTo(flooded.email), mailsTo(other.email)]).toEqual([22, 3]);
});
