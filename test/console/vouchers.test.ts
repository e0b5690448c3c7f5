// Operators' vouchers at the console: their codes are shown once, what became of each is listed, and one or a batch is ended.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { give, openOperator, type Role } from "./operators.ts";
import { desktop, keepScreen, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("vouchers", () => {
  const chromium = useBrowser("operators' vouchers");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());

  const open = async (role: Role, path = "/vouchers") => {
    const person = await openOperator(chromium.browser, gateway, role);
    await person.page.goto(`${gateway.url}/console/operator${path}`);
    return person;
  };

  test("are made with codes that are shown once and redeemed; one is ended, then what is left of the batch", async () => {
    const { page, faults, close } = await open("finance");
    await page.getByText("No vouchers yet").waitFor();
    await page.getByRole("button", { name: "Make vouchers" }).click();
    const dialog = page.getByRole("dialog", { name: "Make vouchers" });
    await dialog.getByLabel("Credit of each (USD)").fill("2.5");
    const contract = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as any;
    const { count, credit_days } = contract.components.schemas.NewVouchers.properties;
    const most = (label: string) => dialog.getByLabel(label).getAttribute("max");
    expect([await most("How many"), await most("Days of credit")]).toEqual([String(count.maximum), String(credit_days.maximum)]);
    await dialog.getByLabel("How many").fill("3");
    await dialog.getByLabel("Days of credit").fill("90");
    await dialog.getByRole("switch", { name: "A workspace may redeem only one of them" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-vouchers-make");
    await give(page, "for the conference", "Make vouchers");
    const made = page.getByRole("dialog", { name: "New vouchers" });
    const field = made.getByLabel("Codes of batch 1, $2.50 each");
    await expect.poll(() => field.inputValue()).toMatch(/^(?:\S{19}\n){2}\S{19}$/);
    const codes = (await field.inputValue()).split("\n");
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-vouchers-codes");
    const [saved] = await Promise.all([page.waitForEvent("download"), made.getByRole("button", { name: "Save as a file" }).click()]);
    expect(saved.suggestedFilename()).toBe("vouchers-batch-1.txt");
    await made.getByRole("button", { name: "Done" }).click();
    await made.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(codes[0]!);

    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const redeemed = await gateway.request("POST", "/v1/credits/vouchers/redeem", { key: token, body: { code: codes[0] } });
    expect(redeemed.json.amount_usd).toBe(2.5);
    await page.reload();
    const rows = page.getByRole("table", { name: "Vouchers" }).getByRole("row");
    await rows.filter({ hasText: account.id }).getByText("redeemed", { exact: true }).waitFor();
    const openRow = rows.filter({ has: page.getByText("open", { exact: true }) });
    await openRow
      .first()
      .getByRole("button", { name: /^Actions for vou_/ })
      .click();
    await page.getByRole("menuitem", { name: "End voucher" }).click();
    await give(page, "lost", "End voucher");
    await rows.getByText("ended", { exact: true }).waitFor();
    await openRow
      .first()
      .getByRole("button", { name: /^Actions for vou_/ })
      .click();
    await page.getByRole("menuitem", { name: "End batch 1" }).click();
    await give(page, "the list was published", "End batch");
    await expect.poll(() => rows.filter({ has: page.getByText("ended", { exact: true }) }).count()).toBe(2);
    await page.getByRole("combobox", { name: "Status" }).selectOption("redeemed");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("link", { name: account.id }).click();
    await page.getByRole("heading", { level: 1, name: account.email }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("codes come even where the form was closed before the answer", async () => {
    const { page, close } = await open("admin");
    await page.route("**/v1/operator/vouchers", async (route) => {
      if (route.request().method() === "POST") await page.getByRole("button", { name: "Cancel" }).click();
      await route.continue();
    });
    await page.getByRole("button", { name: "Make vouchers" }).click();
    await page.getByRole("dialog", { name: "Make vouchers" }).getByLabel("Credit of each (USD)").fill("1");
    await give(page, "hasty", "Make vouchers");
    await page
      .getByRole("dialog", { name: "New vouchers" })
      .getByLabel(/^Codes of batch/)
      .waitFor();
    await close();
  });

  test("support reads them and is offered no change, on a phone in the dark, too", async () => {
    const { page, faults, close } = await open("support");
    await page.getByRole("table", { name: "Vouchers" }).waitFor();
    expect(await page.getByRole("button", { name: "Make vouchers" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /^Actions for vou_/ }).count()).toBe(0);
    for (const [device, viewport, colorScheme] of [
      ["desktop", desktop, "dark"],
      ["phone", phone, "light"],
      ["phone", phone, "dark"],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page)).toEqual([]);
      await keepScreen(page, `${device}-${colorScheme}-operator-vouchers-some`);
    }
    expect(faults).toEqual([]);
    await close();
  });
});
