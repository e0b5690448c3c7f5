// People whose account has a second factor, and the codes of their app.
import { expect } from "vitest";
import { codeOfStep, stepAt } from "../../src/accounts/totp.ts";
import type { Person, SignInGateway } from "./sign-in.ts";

/** Of the step that is `ahead` of now. */
export async function codeOfApp({ rows, context }: SignInGateway, { id }: Pick<Person, "id">, ahead = 0): Promise<string> {
  const [row] = await rows("select secret from totp where account_id = $1", [id]);
  return codeOfStep(row!.secret as Buffer, stepAt(context.clock()) + ahead);
}

/** A person with the second factor on; half a minute has passed since, so that the current code was not used. */
export async function guardedPerson(gateway: SignInGateway): Promise<Person & { codes: string[] }> {
  const person = await gateway.verifiedPerson();
  expect((await gateway.request("POST", "/v1/auth/totp", { key: person.token })).status).toBe(200);
  const body = { code: await codeOfApp(gateway, person) };
  const { json } = await gateway.request("POST", "/v1/auth/totp/confirm", { key: person.token, body });
  gateway.pass(60_000);
  return { ...person, codes: json.recovery_codes as string[] };
}
