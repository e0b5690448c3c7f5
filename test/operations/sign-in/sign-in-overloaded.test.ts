// 503 overloaded while too many passwords are being hashed. An unavailable database is tested in every-operation.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashPassword } from "../../../src/accounts/passwords.ts";
import { atShippedCost, password, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let gateway: SignInGateway;
beforeAll(async () => void (gateway = await startSignInGateway()));
afterAll(() => gateway.stop());

test("too many passwords at once: nothing is changed, and a mail's token works afterwards", async () => {
  const person = gateway.newEmail();
  await gateway.signUpVerified(person);
  await gateway.post("/v1/auth/password/forgot", { email: person });
  const reset = { token: tokenIn(await gateway.mailTo(person)), password: "another good phrase" };
  /** Keeps the queues of sign-ins and of sign-ups full until it is told to end. */
  const keepBusy = () => {
    let isOver = false;
    const again = async (asker?: Parameters<typeof hashPassword>[1]): Promise<void> => {
      while (!isOver) await hashPassword("any", asker).catch(() => new Promise((resolve) => setTimeout(resolve, 5)));
    };
    const all = Array.from({ length: 350 }, (_, nth) => again(nth < 80 ? {} : { about: `network ${nth}`, signsUp: true }));
    return () => ((isOver = true), Promise.all(all));
  };
  const end = await atShippedCost(async () => {
    const ending = keepBusy();
    for (const [path, body] of [
      ["/v1/auth/signup", { email: gateway.newEmail(), password }],
      ["/v1/auth/signin", { email: person, password }],
      ["/v1/auth/password/reset", reset],
    ] as const) {
      const { status, json } = await gateway.post(path, body);
      expect([path, status, json.error?.code]).toEqual([path, 503, "overloaded"]);
    }
    return ending;
  });
  await end();
  expect((await gateway.post("/v1/auth/password/reset", reset)).status).toBe(200);
});
