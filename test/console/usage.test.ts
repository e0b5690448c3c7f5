// The Usage page: figures as the gateway sums them up, the state in the address, the rows as a file.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { makeMonths } from "../support/log-months.ts";
import { openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Usage", () => {
  const chromium = useBrowser("the console's Usage page");
  let gateway: Gateway;
  let account: TestAccount;
  let models: string[];
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.createAccount({ deposit: "20" });
    const list = (await gateway.request("GET", "/v1/models?type=language")).json.data as { id: string }[];
    models = list.slice(0, 2).map(({ id }) => id);
    for (const model of [models[0], models[0], models[1]]) {
      const body = { model, messages: [{ role: "user", content: "Hello" }] };
      expect((await gateway.request("POST", "/v1/chat/completions", { key: account.key, body })).status).toBe(200);
    }
  });
  afterAll(() => gateway?.stop());

  test("the total and each group's sums are the gateway's; metric, group and range stand in the address and survive a reload", async () => {
    const { total } = (await gateway.request("GET", "/v1/usage/summary", { key: account.key })).json;
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/usage`);
    await page.getByRole("combobox", { name: "Group by" }).selectOption("model");
    const table = page.getByRole("table", { name: "Usage" });
    await table.getByRole("row").filter({ hasText: models[1]! }).waitFor();
    expect(await table.getByRole("row").filter({ hasText: "Total" }).textContent()).toContain(`$${total.cost_usd}`);
    expect(await table.getByRole("row").filter({ hasText: models[0]! }).getByRole("cell").nth(1).textContent()).toBe("2");
    await page.getByRole("combobox", { name: "Metric" }).selectOption("requests");
    await page.getByRole("button", { name: "Date range" }).click();
    await page.getByRole("button", { name: "Last 24 hours" }).click();
    expect(new URL(page.url()).search).toBe("?group=model&metric=requests&range=24h");
    await page.reload();
    await page.getByRole("region", { name: "Requests", exact: true }).getByText("3", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Show table" }).click();
    await page.getByRole("table", { name: "Values of the chart" }).getByRole("columnheader", { name: models[0]! }).waitFor();
    await page.getByRole("link", { name: `View logs of ${models[1]!}` }).click();
    await page.getByRole("table", { name: "Requests" }).getByRole("row").nth(1).waitFor();
    expect(await page.getByRole("table", { name: "Requests" }).getByRole("row").count()).toBe(2);
    expect([faults, foreign]).toEqual([[], []]);
    await close();
  });

  test("last month is one click, whole days from its first to its last, and is what the file has", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    // The person comes a month later.
    const [first, last, later] = await page.evaluate<[string, string, number]>(`(() => {
      const now = new Date(), day = (at) => at.toLocaleDateString("sv-SE"), month = now.getMonth();
      const at = (month, day) => new Date(now.getFullYear(), month, day, 12);
      return [day(at(month, 1)), day(at(month + 1, 0)), at(month + 1, 15).getTime()];
    })()`);
    await page.clock.setFixedTime(later);
    await page.goto(`${gateway.url}/console/usage?group=model`);
    await page.getByRole("button", { name: "Date range" }).click();
    await page.getByRole("button", { name: "Last month" }).click();
    const table = page.getByRole("table", { name: "Usage" });
    await table.getByRole("row").filter({ hasText: "Total" }).getByText("3", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("range")).toBe("last-month");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    expect(download.suggestedFilename()).toBe(`usage-${first}-${last}.csv`);
    expect(
      readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n"),
    ).toHaveLength(3);
    await page.getByRole("button", { name: "Date range" }).click();
    await page.getByRole("button", { name: "This month" }).click();
    await page.getByText("No requests in this period").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("grouped by member, sums have the person's address; keys that no member created are together", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/usage?group=member`);
    const table = page.getByRole("table", { name: "Usage" });
    await table.getByRole("row").filter({ hasText: "No member" }).waitFor();
    await gateway.context.db.pool.query("update api_key set created_by = account_id where account_id = $1", [account.accountId]);
    await page.reload();
    await table.getByRole("row").filter({ hasText: account.email }).waitFor();
    expect(await table.getByRole("row").filter({ hasText: account.email }).getByRole("cell").nth(1).textContent()).toBe("3");
    expect(faults).toEqual([]);
    await close();
  });

  test("with more groups than a chart can have, the chart shows all requests, and the table has the largest groups with their whole sums", async () => {
    const { db } = gateway.context;
    await makeMonths(db, 1);
    const other = await gateway.createAccount({ deposit: "20" });
    // In each of the last six hours a request of 1,010 models; the n-th costs n.
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
       select $1, now() - h * interval '1 hour', gen_random_uuid(), 'req_' || n || '_' || h, 'createChatCompletion', 'demo/m-' || n, 'success', 200, n * 1000, 0, '{}', '[]', false, 1
       from generate_series(1, 1010) n, generate_series(0, 5) h`,
      [other.accountId],
    );
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account: other });
    await page.goto(`${gateway.url}/console/usage?group=model&range=24h`);
    await page
      .getByText("Too many groups for a chart: it shows all requests. The table has the 1,000 groups with the highest cost.")
      .waitFor();
    const table = page.getByRole("table", { name: "Usage" });
    expect(await table.getAttribute("aria-rowcount")).toBe("1001");
    const cells = table.getByRole("row").nth(1).getByRole("cell");
    expect([await cells.nth(0).textContent(), await cells.nth(1).textContent(), await cells.nth(6).textContent()]).toEqual([
      "demo/m-1010",
      "6",
      "$0.0606",
    ]);
    await page.getByRole("button", { name: "Show table" }).click();
    const values = page.getByRole("table", { name: "Values of the chart" });
    expect(await values.getByRole("columnheader").allTextContents()).toEqual(["Time", "Spend (USD)"]);
    expect([await violationsOf(page), faults]).toEqual([[], []]);
    await close();
  });

  test("Export CSV saves the rows that the page shows; a range without requests says so and is no 0 of durations", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account, viewport: phone });
    await page.goto(`${gateway.url}/console/usage?group=model`);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    const lines = readFileSync(await download.path(), "utf8")
      .trim()
      .split("\r\n");
    expect(download.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    expect(lines[0]).toMatch(/^start,model,requests,/);
    expect(lines).toHaveLength(3);
    await page.goto(`${gateway.url}/console/usage?from=2020-01-01&to=2020-01-31&metric=latency`);
    await page.getByText("No requests in this period").waitFor();
    expect(await page.getByRole("combobox", { name: "Group by" }).isDisabled()).toBe(true);
    await page.getByRole("region", { name: "Duration, median" }).getByText("–", { exact: true }).first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
