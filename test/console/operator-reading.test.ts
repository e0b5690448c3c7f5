// What operators read at the console: the overview with its alerts, what an action changed, and searches that stay within what the gateway
// answers.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hello, language, provider } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { give, openOperator, type Role } from "./operators.ts";
import { keepScreen, violationsOf } from "./people.ts";

const catalog = JSON.stringify({
  providers: ["north", "south", "west"].map((id) => provider(id)),
  models: [language("demo/chat", [{ model: "chat", cost: { input: 0.25, output: 0.75 } }]), language("demo/broken", ["chat+sim-fail-503"])],
});

describe.skipIf(chromiumPath === null)("an operator reads", () => {
  const chromium = useBrowser("what operators read");
  let gateway: Gateway;
  let customer: TestAccount;
  const open = async (path: string, role: Role = "admin") => {
    const person = await openOperator(chromium.browser, gateway, role);
    await person.page.goto(`${gateway.url}/console/operator${path}`);
    return person;
  };

  beforeAll(async () => {
    gateway = await startGateway({ catalog });
    customer = await gateway.createAccount({ deposit: "20" });
    for (const model of ["demo/chat", "demo/broken"])
      await gateway.request("POST", "/v1/chat/completions", { key: customer.key, body: { model, messages: hello } });
  });
  afterAll(() => gateway?.stop());

  test("the overview draws errors and providers, shows the same as tables, and keeps the range in the address", async () => {
    const { page, faults, close } = await open("");
    const errors = page.getByRole("region", { name: "Errors", exact: true });
    await errors.getByRole("list", { name: "Failed calls by code" }).getByText("provider_unavailable").waitFor();
    await errors.getByRole("button", { name: "Show table" }).click();
    await errors.getByRole("table", { name: "Errors by code" }).getByRole("row", { name: "provider_unavailable 1 100.0 %" }).waitFor();
    const providers = page.getByRole("region", { name: "Providers", exact: true });
    await providers.getByRole("list", { name: "Attempts by provider" }).getByText("north").waitFor();
    await providers.getByRole("button", { name: "Show table" }).click();
    await providers.getByRole("table", { name: "Providers by attempts" }).waitFor();
    await page.getByRole("button", { name: "Date range: Last 24 hours" }).click();
    expect(await page.getByRole("button", { name: "Last 90 days" }).count()).toBe(0);
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await page.getByRole("button", { name: "Date range: Last 7 days" }).waitFor();
    expect(new URL(page.url()).search).toBe("?range=7d");
    await page.goto(`${gateway.url}/console/operator?from=2020-01-01`);
    await page.getByRole("region", { name: "Revenue" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  test("alerts name what fails or is disabled, and lead to its page", async () => {
    const { page, faults, close } = await open("/providers");
    const row = page.getByRole("table", { name: "Providers" }).getByRole("row", { name: /^west / });
    await row.getByRole("button", { name: "Disable for 10 minutes" }).click();
    await give(page, "it bills twice", "Disable for 10 minutes");
    await row.getByText("it bills twice").waitFor();
    await page.goto(`${gateway.url}/console/operator`);
    const alerts = page.getByRole("region", { name: "Alerts" });
    await alerts.getByRole("listitem").filter({ hasText: "west is disabled" }).getByText("it bills twice").waitFor();
    await alerts.getByRole("listitem").filter({ hasText: "chat+sim-fail-503 fails" }).getByText("1 of 1 attempts").waitFor();
    await alerts.getByRole("link", { name: "west is disabled" }).click();
    await page.getByRole("heading", { level: 1, name: "Providers" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("an action shows what changed field by field, and leads to what it was done to", async () => {
    const { page, faults, close } = await open(`/accounts/${customer.id}`);
    await page.getByRole("button", { name: "Suspend" }).click();
    await give(page, "a dispute", "Suspend");
    await page.getByRole("button", { name: "Resume" }).click();
    await give(page, "it is settled", "Resume");
    await page.goto(`${gateway.url}/console/operator/audit?action=account.suspend&target=${customer.id}`);
    await page.getByRole("table", { name: "Audit log" }).getByRole("button", { name: "account.suspend" }).click();
    const action = page.getByRole("dialog", { name: "Action" });
    const changes = action.getByRole("table", { name: "What changed" });
    await changes.getByRole("row", { name: "status Changed active suspended" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-audit-action");
    await action.getByRole("link", { name: customer.id }).click();
    await page.getByRole("heading", { level: 1, name: customer.email }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a search over all accounts is of one day, whatever the address says; one account's is of any time", async () => {
    const { page, faults, close } = await open("/requests?range=12mo", "support");
    const table = page.getByRole("table", { name: "Requests" });
    await table.getByText("demo/chat").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await page.getByRole("button", { name: /^Date range/ }).click();
    expect(await page.getByRole("button", { name: "Last 7 days" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Search" }).fill(customer.id);
    await page.getByRole("button", { name: /^Date range/ }).click();
    await page.getByRole("button", { name: "Last 7 days" }).click();
    await table.getByText("demo/broken").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
