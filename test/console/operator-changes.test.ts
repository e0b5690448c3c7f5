// What operators change and try at the console: a new account, and a catalog file that is checked and compared.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { give, openOperator, type Role } from "./operators.ts";
import { keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const catalog = JSON.stringify(
  {
    providers: ["north", "south"].map((id) => provider(id)),
    models: [language("demo/chat", [{ model: "chat", cost: { input: 0.25, output: 0.75 } }]), language("demo/second", ["chat"])],
  },
  null,
  2,
);

describe.skipIf(chromiumPath === null)("an operator", () => {
  const chromium = useBrowser("what operators change");
  let gateway: Gateway;
  const open = async (path: string, role: Role = "admin") => {
    const person = await openOperator(chromium.browser, gateway, role);
    await person.page.goto(`${gateway.url}/console/operator${path}`);
    return person;
  };

  beforeAll(async () => {
    gateway = await startGateway({ catalog });
  });
  afterAll(() => gateway?.stop());

  test("creates an account with money, once for an address, and sees it in the audit log", async () => {
    const { page, faults, close } = await open("/accounts", "finance");
    await page.getByRole("button", { name: "Create account" }).click();
    const dialog = page.getByRole("dialog", { name: "Create account" });
    await dialog.getByLabel("Email").fill("alan@example.com");
    await dialog.getByLabel("Deposit (USD)").fill("20");
    await dialog.getByLabel("Credit (USD)").fill("1.5");
    await dialog.getByRole("switch", { name: "The address is verified" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await give(page, "contract 17", "Create account");
    await page.getByRole("heading", { level: 1, name: "alan@example.com" }).waitFor();
    await page.getByRole("region", { name: "Balance" }).getByText("$21.50").first().waitFor();
    await page.getByRole("table", { name: "Operators' actions" }).getByText("contract 17").waitFor();
    await page
      .getByRole("table", { name: "Members" })
      .getByRole("row", { name: /alan@example\.com .* owner/ })
      .waitFor();
    await page.goto(`${gateway.url}/console/operator/accounts`);
    await page.getByRole("button", { name: "Create account" }).click();
    await dialog.getByLabel("Email").fill("alan@example.com");
    await give(page, "again", "Create account");
    await dialog.getByRole("alert").getByRole("link", { name: "not_possible" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("sets an account's tier by its number, and back to the one of its deposits", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { page, faults, close } = await open(`/accounts/${account.id}`, "finance");
    const fact = page.getByRole("region", { name: "Account", exact: true });
    await page.getByRole("button", { name: "Set tier" }).click();
    const dialog = page.getByRole("dialog", { name: "Set tier" });
    await dialog.getByLabel("Tier").selectOption("3");
    expect(await violationsOf(page)).toEqual([]);
    await give(page, "launch", "Set tier");
    await fact.getByText("3, set by an operator").waitFor();
    await page.getByRole("button", { name: "Set tier" }).click();
    await dialog.getByLabel("Tier").selectOption({ label: "By its deposits" });
    await give(page, "over", "Set tier");
    await fact.getByText("set by an operator").waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await close();
  });

  test("closes the sign-up at once, says who did, and takes it back; support only reads it", async () => {
    const { page, account, faults, close } = await open("/settings");
    const table = page.getByRole("table", { name: "Changed without a restart" });
    const row = table.getByRole("row", { name: /^Who may sign up/ });
    const choose = async (action: string) => {
      await row.getByRole("button", { name: "Actions for Who may sign up" }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await choose("Change");
    const dialog = page.getByRole("dialog", { name: "Change setting" });
    await dialog.getByLabel("Who may sign up").selectOption({ label: "Nobody" });
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-setting");
    await give(page, "a wave of fakes", "Change setting");
    await row.getByText("Nobody").waitFor();
    await row.getByText(account.email).waitFor();
    expect((await gateway.request("GET", "/v1/auth/options")).json.sign_up).toBe("closed");
    await table.getByRole("button", { name: "Actions for Disposable email domains" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await dialog.getByLabel("Disposable email domains").fill("trash.example\nno domain");
    await give(page, "fakes", "Change setting");
    await dialog.getByRole("alert").getByText("disposable_domains[1]").first().waitFor();
    await dialog.getByLabel("Disposable email domains").fill("trash.example\nwaste.example");
    await give(page, "fakes", "Change setting");
    await table.getByText("trash.example, waste.example").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-settings-changed");
    await table.getByRole("button", { name: "Actions for Notice to everyone" }).click();
    await page.getByRole("menuitem", { name: "Change" }).click();
    await dialog.getByLabel("Notice to everyone").fill("Maintenance on Sunday <b>at eight</b>");
    await give(page, "so that nobody is surprised", "Change setting");
    const visitor = await openPerson(chromium.browser, gateway, { viewport: phone, colorScheme: "dark" });
    await visitor.page.goto(`${gateway.url}/console/sign-in`);
    await visitor.page.getByRole("status", { name: "Notice" }).getByText("Maintenance on Sunday <b>at eight</b>").waitFor();
    expect(await violationsOf(visitor.page)).toEqual([]);
    await keepScreen(visitor.page, "phone-dark-notice");
    await visitor.close();
    await choose("Reset");
    await give(page, "over", "Reset setting");
    await row.getByText("The environment").waitFor();
    expect((await gateway.request("GET", "/v1/auth/options")).json.sign_up).toBe("open");
    expect(faults).toEqual([]);
    await close();
    const support = await open("/settings", "support");
    await support.page.getByRole("table", { name: "Changed without a restart" }).getByText("trash.example, waste.example").waitFor();
    expect(await support.page.getByRole("button", { name: /^Actions for/ }).count()).toBe(0);
    await support.page.getByRole("status", { name: "Notice" }).getByText("Maintenance on Sunday <b>at eight</b>").waitFor();
    await keepScreen(support.page, "desktop-light-operator-settings-notice");
    await support.close();
  });

  test("support is offered no new account", async () => {
    const { page, close } = await open("/accounts", "support");
    await page.getByRole("table", { name: "Accounts" }).waitFor();
    expect(await page.getByRole("button", { name: "Create account" }).count()).toBe(0);
    await close();
  });

  test("checks a catalog file line by line, and sees which prices, models and providers another one changes", async () => {
    const { page, faults, close } = await open("/catalog", "support");
    await page.getByRole("region", { name: "In use" }).getByText("SHA-256").waitFor();
    const file = page.getByRole("textbox", { name: "Catalog file" });
    expect(await page.getByRole("button", { name: "Check" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Start from the file in use" }).click();
    await expect.poll(() => file.inputValue()).toContain("demo/second");
    const text = await file.inputValue();
    await page.getByRole("button", { name: "Show changes" }).click();
    await page.getByText("The file matches the catalog in use").waitFor();

    await file.fill(text.replace('"type": "language"', '"type": "no such type"'));
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("status").getByText("The gateway would refuse this file: 1 problem.").waitFor();
    const problem = page.getByRole("list", { name: "Problems and warnings" }).last().getByRole("listitem").first();
    const at = text.split("\n").findIndex((line) => line.includes('"type": "language"')) + 1;
    await problem.getByRole("button", { name: `Line ${at}` }).click();
    const selected = "document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)";
    expect(await page.evaluate<string>(selected)).toContain("no such type");

    const changed = JSON.parse(text) as { providers: object[]; models: { id: string; pricing: { input: number } }[] };
    const before = changed.models[0]!.pricing.input;
    changed.models[0]!.pricing.input = before + 1;
    changed.models.pop();
    changed.providers.push(provider("east"));
    await file.fill(JSON.stringify(changed, null, 2));
    await page.getByRole("button", { name: "Show changes" }).click();
    const models = page.getByRole("table", { name: "Model changes" });
    await models.getByRole("row", { name: `demo/chat pricing.input Changed ${before} ${before + 1}` }).waitFor();
    await models.getByRole("row", { name: /^demo\/chat margin\.north\/chat, input Changed/ }).waitFor();
    await models.getByRole("row", { name: "demo/second state Removed active" }).waitFor();
    await page.getByRole("table", { name: "Provider changes" }).getByRole("row", { name: "east added" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("region", { name: "Model changes" }).scrollIntoViewIfNeeded();
    await keepScreen(page, "desktop-light-operator-catalog-changes");
    expect(faults).toEqual([]);
    await close();
  });
});
