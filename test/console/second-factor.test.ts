// A second factor in the console: its code at the sign-in, and again when a change asks for it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../src/accounts/passwords.ts";
import { codeOfStep, stepAt } from "../../src/accounts/totp-codes.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { makeOperator } from "../support/operators.ts";
import { openPerson } from "./people.ts";

describe.skipIf(chromiumPath === null)("a second factor", () => {
  const chromium = useBrowser("a second factor");
  let gateway: Gateway;
  const query = (sql: string, values: unknown[]) => gateway.context.db.pool.query(sql, values);
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());

  test("an operator with a second factor gives a code at the sign-in and when a change asks again", async () => {
    const [me, customer] = [await gateway.createAccount(), await gateway.createAccount({ deposit: "20" })];
    await makeOperator(gateway, me, "finance");
    const password = "correct horse battery";
    await query("update account set password_hash = $2 where id = $1", [me.accountId, await hashPassword(password)]);
    const { token: key } = await gateway.createSession(me);
    await gateway.request("POST", "/v1/auth/totp", { key });
    const { secret } = (await query("select secret from totp where account_id = $1", [me.accountId])).rows[0] as { secret: Buffer };
    const body = { code: codeOfStep(secret, stepAt(gateway.context.clock())) };
    const { recovery_codes } = (await gateway.request("POST", "/v1/auth/totp/confirm", { key, body })).json as { recovery_codes: string[] };
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(`${gateway.url}/console/operator/accounts/${customer.id}`);
    await page.getByLabel("Email").fill(me.email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByLabel("Code").fill(recovery_codes[0]!);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Adjust credit" }).click();
    await query("update session set created_at = $2, confirmed_at = null, factor_at = $2 where account_id = $1", [
      ...[me.accountId, new Date(Date.now() - 3_600_000)],
    ]);
    await page.getByLabel("Amount (USD)").fill("0.5");
    const dialog = page.getByRole("dialog", { name: "Adjust credit" });
    await dialog.getByLabel("Reason").fill("a gift");
    await dialog.getByRole("button", { name: "Adjust credit" }).click();
    await dialog.getByLabel("Password").fill(password);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByLabel("Code").fill(recovery_codes[1]!);
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("$0.50 are posted").waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
