// What operators read at the console: the overview with its alerts, what an action changed, and searches that stay within what the gateway
// answers.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hello, language, provider } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { endJob, newJob, pngFile } from "../support/media-jobs.ts";
import { tamper } from "../support/tamper.ts";
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

  /** Of the one call that was charged. */
  const sold = async () => {
    const { rows } = await gateway.context.db.pool.query("select cost, expense from usage_log where account_id = $1 and cost > 0", [
      customer.accountId,
    ]);
    const usd = (units: bigint | number) => String(Number(units) / 1e8);
    return { charged: usd(rows[0].cost), margin: usd(Number(rows[0].cost) - Number(rows[0].expense)) };
  };

  beforeAll(async () => {
    gateway = await startGateway({ catalog, env: { STRIPE_SECRET_KEY: "sk_test_console", STRIPE_WEBHOOK_SECRET: "whsec_console" } });
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

  test("the overview sums up charges, costs and margins by time and by account, model, provider or route", async () => {
    const { page, faults, close } = await open("", "support");
    const time = page.getByRole("region", { name: "Over time" });
    await time.getByRole("img", { name: /^Charged by hour/ }).waitFor();
    await time.getByRole("button", { name: "Show table" }).click();
    const { charged, margin } = await sold();
    const share = ((Number(margin) / Number(charged)) * 100).toFixed(1);
    await page.getByRole("region", { name: "Margin" }).getByText(`$${margin}, ${share} % of the revenue`, { exact: true }).waitFor();
    await time.getByRole("row", { name: `Total 2 1 50.0 % $${charged} $` }).waitFor();
    const groups = page.getByRole("table", { name: "By group" });
    await groups.getByRole("row", { name: `${customer.id} 2 1 50.0 % $${charged}` }).waitFor();
    await page.getByRole("combobox", { name: "Group by" }).selectOption("route");
    await groups.getByRole("row", { name: new RegExp(`^north/chat 1 0 0\\.0 % \\$${charged} .* \\$${margin}(?: |$)`) }).waitFor();
    expect(new URL(page.url()).search).toBe("?group=route");
    await page.getByRole("combobox", { name: "Group by" }).selectOption("account");
    await groups.getByRole("link", { name: customer.id }).click();
    await page.getByRole("heading", { level: 1, name: customer.email }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("the audit log is saved as CSV, of the rows that are shown", async () => {
    const { page, faults, close } = await open("/accounts/" + customer.id);
    await page.getByRole("button", { name: "Adjust credit" }).click();
    await page.getByLabel("Amount (USD)").fill("1");
    await give(page, "a gift, for the file", "Adjust credit");
    await page.getByText("is posted").first().waitFor();
    await page.goto(`${gateway.url}/console/operator/audit?action=account.adjust&target=${customer.id}`);
    await page.getByRole("table", { name: "Audit log" }).getByText("a gift, for the file").waitFor();
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    expect(saved.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    const [names, row, ...rest] = readFileSync(await saved.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect(names).toMatch(/^id,created_at,who,/);
    expect(row).toContain(`account.adjust,${customer.id},"a gift, for the file"`);
    expect(rest).toEqual([]);
    expect([await page.getByRole("alert").count(), faults]).toEqual([0, []]);
    await close();
  });

  test("of more than 100,000 actions the newest are saved, and the page says that the file is cut and how to get the rest", async () => {
    const fill = `insert into operator_action (at, who, action, target)
      select timestamptz '2026-01-01' + n * interval '1 second', 'svc (fill)', 'account.tier', 'acc_0' from generate_series($1::int, $2::int) n`;
    for (let n = 0; n <= 100_000; n += 5_000) await gateway.context.db.pool.query(fill, [n, Math.min(n + 4_999, 100_000)]);
    const { page, faults, close } = await open("/audit?target=acc_0");
    const [saved] = await Promise.all([
      page.waitForEvent("download", { timeout: 120_000 }),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    await page
      .getByRole("alert")
      .getByText("The file is cut: it has the newest 100,000 rows. For the rest, export shorter ranges")
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const lines = readFileSync(await saved.path(), "utf8")
      .trimEnd()
      .split("\r\n");
    expect([lines.length, new Set(lines).size]).toEqual([100_001, 100_001]);
    expect(faults).toEqual([]);
    await close();
  });

  test("a job is found by its id, shows why it failed, and gives its charge back once", async () => {
    const job = await newJob(gateway, customer);
    await endJob(gateway, customer, job, { to: "succeeded", files: [pngFile("boat.png")] });
    const { page, faults, close } = await open("/jobs", "finance");
    const table = page.getByRole("table", { name: "Jobs" });
    await table.getByText("demo/image").waitFor();
    await page.getByRole("combobox", { name: "Kind" }).selectOption("video");
    await page.getByText("No matching jobs").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await page.getByRole("searchbox", { name: "Search" }).fill(job.shownId);
    const dialog = page.getByRole("dialog", { name: "Job" });
    await dialog.getByText("boat.png").waitFor();
    await dialog.getByRole("button", { name: "Refund" }).click();
    await give(page, "the boat sinks", "Refund");
    await dialog.getByText("The charge was refunded.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).click();
    await table.getByRole("row").nth(1).getByText("refunded").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a job that runs is cancelled once a reason is given, and shows that it was", async () => {
    const job = await newJob(gateway, customer);
    const { page, faults, close } = await open(`/jobs?job=${job.shownId}`, "support");
    const dialog = page.getByRole("dialog", { name: "Job" });
    await dialog.getByRole("button", { name: "Cancel job" }).click();
    await give(page, "it hangs", "Cancel job");
    await dialog.getByText("job_cancelled").waitFor();
    await dialog.getByText("Nothing was charged").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test("the ledger shows what waits in holds, and an audit names the balance that differs and the link that is broken", async () => {
    const { page, faults, close } = await open("/ledger", "finance");
    const ledger = page.getByRole("table", { name: "Ledger" });
    await ledger.getByRole("row", { name: /^Accounts below 0 0 \$0\.00/ }).waitFor();
    await ledger.getByRole("row", { name: /^Holds of media jobs/ }).waitFor();
    const run = async (reason: string) => {
      await page.getByRole("button", { name: "Run audit" }).click();
      await give(page, reason, "Run audit");
      await page.getByRole("table", { name: "Audits started by operators" }).getByText(reason).waitFor();
    };
    const audit = page.getByRole("region", { name: "Audit", exact: true });
    await run("end of the quarter");
    await audit.getByText("Agrees").first().waitFor();
    const move = (by: string) =>
      tamper(gateway, `update ledger_entry set created_at = created_at + interval '${by}' where account_id = $1`, [customer.accountId]);
    await move("1 second");
    await tamper(gateway, "update balance set available = available + 1 where account_id = $1", [customer.accountId]);
    await run("a complaint");
    const differs = audit.getByRole("table", { name: "What differs" });
    await differs.getByRole("row", { name: new RegExp(`^${customer.id} balance`) }).waitFor();
    await audit.getByRole("note", { name: "Broken link" }).getByText(`of ${customer.id}:`).waitFor();
    await move("-1 second");
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-operator-ledger-differs");
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("region", { name: "Alerts" }).getByRole("link", { name: "The ledger differs from its entries" }).click();
    await page.getByRole("heading", { level: 1, name: "Ledger" }).waitFor();
    const owner = await gateway.createAccount();
    await tamper(gateway, "update balance set available = -150000000 where account_id = $1", [owner.accountId]);
    await page.goto(`${gateway.url}/console/operator`);
    const owed = page.getByRole("region", { name: "Alerts" }).getByRole("listitem").filter({ hasText: "1 account is below 0" });
    await owed.getByText("By $1.50 in all").waitFor();
    await keepScreen(page, "desktop-light-operator-alerts");
    await tamper(gateway, "update balance set available = 0 where account_id = $1", [owner.accountId]);
    await tamper(gateway, "update balance set available = available - 1 where account_id = $1", [customer.accountId]);
    expect(faults).toEqual([]);
    await close();
  });

  test("support reads the ledger, and is offered no audit", async () => {
    const { page, close } = await open("/ledger", "support");
    await page.getByText("An audit needs the role finance.").waitFor();
    await page.getByRole("table", { name: "Ledger" }).waitFor();
    expect(await page.getByRole("button", { name: "Run audit" }).count()).toBe(0);
    await close();
  });

  test("settings are found by name and source; a secret is only said to be set", async () => {
    const { page, faults, close } = await open("/settings", "support");
    const table = page.getByRole("table", { name: "Settings" });
    await page.getByRole("searchbox", { name: "Search" }).fill("stripe");
    await table.getByRole("row", { name: "STRIPE_SECRET_KEY Environment Secret, set" }).waitFor();
    await page.getByRole("combobox", { name: "Source" }).selectOption("default");
    await table.getByRole("row", { name: "STRIPE_SECRET_KEY" }).waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("sk_test_console");
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
