// A second factor in the console: turning it on and off, its code at the sign-in, and again when a change asks for it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../src/accounts/passwords.ts";
import { codeOfStep, stepAt } from "../../src/accounts/totp.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { makeOperator } from "../support/operators.ts";
import { keepScreen, openPerson, phone, violationsOf } from "./people.ts";
import { readQrCode } from "./read-qr-code.ts";

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
    await page.getByText("$0.50 is posted").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("is set up with the secret and a code, shows the recovery codes once, and is turned off after the password and a code", async () => {
    const account = await gateway.createAccount();
    const password = "correct horse battery";
    await query("update account set password_hash = $2 where id = $1", [account.accountId, await hashPassword(password)]);
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account, viewport: phone, colorScheme: "dark" });
    const outdate = () =>
      query("update session set created_at = $2, confirmed_at = null, factor_at = $2 where account_id = $1", [
        account.accountId,
        new Date(Date.now() - 3_600_000),
      ]);
    const secret = async () =>
      ((await query("select secret from totp where account_id = $1", [account.accountId])).rows[0] as { secret: Buffer }).secret;
    await outdate();
    await page.goto(`${gateway.url}/console/settings`);
    const security = page.getByRole("region", { name: "Security" });
    await security.getByRole("button", { name: "Set up" }).click();
    const setUp = page.getByRole("dialog", { name: "Set up a second factor" });
    await setUp.getByRole("button", { name: "Continue" }).click();
    await setUp.getByLabel("Password").fill(password);
    await setUp.getByRole("button", { name: "Confirm" }).click();
    expect(await setUp.getByRole("textbox", { name: "Secret" }).inputValue()).toMatch(/^[A-Z2-7]{32}$/);
    await keepScreen(page, "phone-dark-second-factor");
    const shown = await readQrCode(page, setUp.getByRole("img", { name: "The secret, for the app's camera" }));
    expect(shown).toBe(await setUp.getByRole("link", { name: "Open the app on this device" }).getAttribute("href"));
    expect(shown).toContain(`secret=${await setUp.getByRole("textbox", { name: "Secret" }).inputValue()}`);
    const right = codeOfStep(await secret(), stepAt(gateway.context.clock()));
    await setUp.getByLabel("Code").fill(right === "123456" ? "654321" : "123456");
    await setUp.getByRole("button", { name: "Turn on" }).click();
    await setUp.getByRole("link", { name: "invalid_token" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await setUp.getByLabel("Code").fill(codeOfStep(await secret(), stepAt(gateway.context.clock())));
    await setUp.getByRole("button", { name: "Turn on" }).click();
    const codes = setUp.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
    await codes.nth(9).waitFor();
    const [first] = await codes.allTextContents();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "phone-dark-recovery-codes");
    await setUp.getByRole("button", { name: "Done" }).click();
    await security.getByText("10 recovery codes are left").waitFor();
    await outdate();
    await security.getByRole("button", { name: "Turn off" }).click();
    const turnOff = page.getByRole("dialog", { name: "Turn off the second factor" });
    await turnOff.getByRole("button", { name: "Turn off" }).click();
    await turnOff.getByLabel("Password").fill(password);
    await turnOff.getByRole("button", { name: "Confirm" }).click();
    await turnOff.getByLabel("Code").fill(first!);
    await turnOff.getByRole("button", { name: "Confirm" }).click();
    await security.getByRole("button", { name: "Set up" }).waitFor();
    expect(faults).toEqual([]);
    const kept = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href");
    expect(kept).not.toContain(first);
    await close();
  });
});
