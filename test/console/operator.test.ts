// The operators' pages: on a desk and on a phone, light and dark, with markup in every word that others choose; what a customer finds there;
// and an operator's work.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../src/accounts/passwords.ts";
import { hello, language, provider } from "../operations/chat/chat-gateway.ts";
import { endJob, type MediaJob, newJob } from "../support/media-jobs.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { give, newOperator, openOperator as openOperatorPage, type Role } from "./operators.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const catalog = JSON.stringify({
  providers: ["north", "south", "west"].map((id) => provider(id)),
  models: [
    language("demo/chat", [{ model: "chat", cost: { input: 0.25, output: 0.75 } }]),
    language("demo/second", ["chat+sim-fail-503", "chat"]),
    language("demo/broken", ["chat+sim-fail-503"]),
  ],
});
/** What a page would run if it took text for markup. */
const markup = `<img src=x onerror="document.title='taken over'">`;
const word = encodeURIComponent(markup);

describe.skipIf(chromiumPath === null)("the operators' pages", () => {
  const chromium = useBrowser("the operators' pages");
  let gateway: Gateway;
  let operator: TestAccount;
  let customer: TestAccount;
  let requestId: string;
  let job: MediaJob;
  const at = (path: string) => `${gateway.url}/console${path}`;
  const query = (sql: string, values: unknown[]) => gateway.context.db.pool.query(sql, values);
  const newCustomer = () => gateway.createAccount({ deposit: "20" });
  const call = async (account: TestAccount, model: string, more: object = {}) =>
    (await gateway.request("POST", "/v1/chat/completions", { key: account.key, body: { model, messages: hello, ...more } })).headers[
      "x-request-id"
    ] as string;
  beforeAll(async () => {
    gateway = await startGateway({ catalog });
    [operator, customer] = [await newOperator(gateway, "admin"), await newCustomer()];
    const { token: key } = await gateway.createSession(operator);
    await gateway.request("POST", "/v1/auth/keys", { key: (await gateway.createSession(customer)).token, body: { name: markup } });
    requestId = await call(customer, "demo/second", { metadata: { [markup]: markup } });
    await call(customer, "demo/chat");
    await call(customer, "demo/broken");
    await call(customer, markup, { user: markup.slice(0, 64) });
    job = await newJob(gateway, customer, { model: "demo/picture" });
    await endJob(gateway, customer, job, { to: "failed", code: "content_policy", message: markup, word: markup });
    await query("update account set email = $2, name = $3, workspace_name = $3 where id = $1", [
      ...[customer.accountId, `${markup}@example.com`, markup],
    ]);
    const body = { amount_usd: -1, reason: markup };
    await gateway.request("POST", `/v1/operator/accounts/${customer.id}/adjust`, { key, body });
    await gateway.request("POST", "/v1/operator/providers/west/disable", { key, body: { reason: markup } });
  });
  afterAll(() => gateway?.stop());

  describe.each([
    ["desktop", desktop],
    ["phone", phone],
  ] as const)("%s", (device, viewport) => {
    test.each(["light", "dark"] as const)("%s: every page holds, and takes no text for markup", async (colorScheme) => {
      const pages: Record<string, string> = {
        "": "Overview",
        "/accounts": "Accounts",
        [`/accounts/${customer.id}`]: `${markup}@example.com`,
        "/requests": "Requests",
        [`/requests?request=${requestId}`]: "Requests",
        "/providers": "Providers",
        [`/requests?q=${word}&status=${word}&request=${word}`]: "Requests",
        "/catalog": "Catalog",
        "/jobs": "Jobs",
        [`/jobs?job=${job.shownId}`]: "Jobs",
        [`/jobs?q=${word}&status=${word}&kind=${word}&job=${word}`]: "Jobs",
        "/vouchers": "Vouchers",
        [`/vouchers?q=${word}&status=${word}`]: "Vouchers",
        "/ledger": "Ledger",
        "/settings": "Settings",
        "/audit": "Audit log",
        [`/audit?who=${word}&action=${word}&target=${word}&from=${word}`]: "Audit log",
        "/operators": "Operators",
        "/nothing": "Page not found",
      };
      const found: Record<string, unknown> = {};
      const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account: operator, viewport, colorScheme });
      for (const [path, heading] of Object.entries(pages)) {
        await page.goto(at(`/operator${path}`));
        await page.locator("h1").getByText(heading, { exact: true }).waitFor();
        await page.waitForLoadState("networkidle");
        const wide = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
        // What stays in view leaves the rest of its table room.
        const crowded = await page.evaluate<number>(
          `[...document.querySelectorAll("th.sticky")].filter((th) => th.clientWidth > 90 && th.closest("table").clientWidth > th.closest("div").clientWidth).length`,
        );
        const markedUp = await page.locator("main img, [role=dialog] img").count();
        const wrong = [
          ...(await violationsOf(page)),
          ...faults.splice(0),
          ...foreign.splice(0),
          ...(wide > 0 ? [`${wide} px too wide`] : []),
          ...(crowded > 0 ? ["a column that stays is too wide"] : []),
          ...(markedUp > 0 ? ["text became markup"] : []),
        ];
        if (wrong.length > 0) found[path] = wrong;
        await keepScreen(
          page,
          `${device}-${colorScheme}-operator${path.replaceAll(/[/?=]/g, "-").replace(requestId, "open").replace(job.shownId, "open").replaceAll(word, "hostile")}`,
        );
      }
      await close();
      expect(found).toEqual({});
    });
  });

  test("a customer finds no page there and no link to it, and loads no file of it", async () => {
    const manifest = fileURLToPath(new URL("../../dist/console/.vite/manifest.json", import.meta.url));
    const chunks = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, { file: string; src?: string }>;
    const operators = Object.values(chunks).filter(({ src }) => src?.startsWith("operator/") === true);
    expect(operators.length).toBeGreaterThan(5);
    const { page, close } = await openPerson(chromium.browser, gateway, { account: customer });
    const loaded = new Set<string>();
    page.on("response", (response) => {
      if (response.url().endsWith(".js")) loaded.add(new URL(response.url()).pathname.replace("/console/", ""));
    });
    for (const path of ["/", "/keys", "/logs", "/credit", "/models", "/limits"]) {
      await page.goto(at(path));
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle");
      expect(await page.getByRole("link", { name: "Operator" }).count()).toBe(0);
    }
    for (const path of ["/operator", "/operator/accounts", "/operator/no-such-page"]) {
      await page.goto(at(path));
      await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
      await page.waitForLoadState("networkidle");
    }
    expect(loaded.size).toBeGreaterThan(5);
    expect(operators.map(({ file }) => file).filter((file) => loaded.has(file))).toEqual([]);
    await close();
    // Asked for again: a page that is left takes the texts of its files along.
    const texts = await Promise.all([...loaded].map(async (file) => await (await fetch(at(`/${file}`))).text()));
    for (const text of texts) expect(text).not.toContain("/v1/operator");
  });

  const openOperator = (role: Role = "admin") => openOperatorPage(chromium.browser, gateway, role);

  test("the menu leads from Home to the operator's pages and back, and the palette to each", async () => {
    const { page, faults, close } = await openOperator();
    await page.goto(at("/"));
    await page.getByRole("link", { name: "Operator" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    for (const name of ["Revenue", "Cost", "Margin", "Errors", "Providers"])
      await page.getByRole("region", { name, exact: true }).waitFor();
    await page.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Accounts" }).click();
    await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
    await page.keyboard.press("/");
    await page.getByRole("combobox", { name: "Page or action" }).fill("operator: audit");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Audit log" }).waitFor();
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("an account is found, suspended, resumed and corrected; each time with a reason", async () => {
    const { page, faults, close } = await openOperator("finance");
    const account = await newCustomer();
    await page.goto(at("/operator/accounts"));
    await page.getByRole("searchbox", { name: "Search" }).fill(account.email);
    await page.getByRole("table", { name: "Accounts" }).getByRole("button", { name: account.email }).click();
    await page.getByRole("heading", { level: 1, name: account.email }).waitFor();
    await page.getByRole("button", { name: "Suspend" }).click();
    await give(page, "a dispute", "Suspend");
    await page.getByText(`${account.email} is suspended.`).waitFor();
    expect((await gateway.request("GET", "/v1/credits/balance", { key: account.key })).status).toBe(403);
    await page.getByRole("button", { name: "Resume" }).click();
    await give(page, "it is settled", "Resume");
    await page.getByText(`${account.email} may call again.`).waitFor();
    await page.getByRole("button", { name: "Adjust credit" }).click();
    await page.getByLabel("Amount (USD)").fill("-2.5");
    await give(page, "paid twice", "Adjust credit");
    await page.getByText("−$2.50 is posted").waitFor();
    expect((await gateway.balance(account)).balance).toBe(17.5);
    await page.getByRole("table", { name: "Ledger entries" }).getByText("adjustment: paid twice").waitFor();
    const log = page.getByRole("table", { name: "Operators' actions" });
    for (const reason of ["a dispute", "it is settled", "paid twice"]) await log.getByText(reason).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a change long after the sign-in asks for the password, says that a wrong one is wrong, and is then made", async () => {
    const { account: me, page, close } = await openOperator("finance");
    await query("update account set password_hash = $2 where id = $1", [me.accountId, await hashPassword("correct horse")]);
    await query("update session set created_at = now() - interval '1 hour' where account_id = $1", [me.accountId]);
    const account = await newCustomer();
    await page.goto(at(`/operator/accounts/${account.id}`));
    await page.getByRole("button", { name: "Suspend" }).click();
    await give(page, "a dispute", "Suspend");
    const dialog = page.getByRole("dialog", { name: "Suspend" });
    await dialog.getByLabel("Password").fill("wrong horse");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Password").fill("correct horse");
    await dialog.getByRole("button", { name: "Confirm" }).click();
    await page.getByText(`${account.email} is suspended.`).waitFor();
    await page.getByRole("table", { name: "Operators' actions" }).getByText("a dispute").waitFor();
    await close();
  });

  test("a route is disabled for 10 minutes, so that calls take the next one, and enabled again", async () => {
    const { page, faults, close } = await openOperator();
    await page.goto(at("/operator/providers"));
    const row = page.getByRole("table", { name: "Routes" }).getByRole("row", { name: "south/chat demo/second" });
    await row.getByRole("button", { name: "Disable for 10 minutes" }).click();
    await give(page, "a test of the console", "Disable for 10 minutes");
    await row.getByText("a test of the console").waitFor();
    const account = await newCustomer();
    const body = { model: "demo/second", messages: hello };
    const chat = async () => (await gateway.request("POST", "/v1/chat/completions", { key: account.key, body })).status;
    await eventually(async () => expect(await chat()).toBe(503));
    await row.getByRole("button", { name: "Enable" }).click();
    await give(page, "it is over", "Enable");
    await row.getByRole("button", { name: "Disable for 10 minutes" }).waitFor();
    await eventually(async () => expect(await chat()).toBe(200));
    expect(faults).toEqual([]);
    await close();
  });

  test("a role that may not change anything is shown no change", async () => {
    const { page, close } = await openOperator("support");
    await page.goto(at(`/operator/accounts/${customer.id}`));
    await page.getByText("Changes need the role finance.").waitFor();
    expect(await page.getByRole("button", { name: /Suspend|Resume|Adjust/ }).count()).toBe(0);
    await page.goto(at(`/operator/requests?request=${requestId}`));
    await page.getByText("Refunding the charge needs the role finance.").waitFor();
    await page.goto(at("/operator/operators"));
    await page.getByRole("table", { name: "Operators" }).waitFor();
    expect(await page.getByRole("button", { name: "Add operator" }).count()).toBe(0);
    await close();
  });

  test("an admin gives a role, changes it and takes it", async () => {
    const { page, faults, close } = await openOperator();
    const { email } = await newCustomer();
    await page.goto(at("/operator/operators"));
    await page.getByRole("button", { name: "Add operator" }).click();
    await page.getByLabel("Account").fill(email);
    await give(page, "joins support", "Add operator");
    const row = page.getByRole("table", { name: "Operators" }).getByRole("row", { name: email });
    await row.getByText("support").waitFor();
    await row.getByRole("button", { name: `Actions for ${email}` }).click();
    await page.getByRole("menuitem", { name: "Change role" }).click();
    await page.getByRole("dialog").getByLabel("Role").selectOption("finance");
    await give(page, "joins finance", "Change role");
    await row.getByText("finance").waitFor();
    await row.getByRole("button", { name: `Actions for ${email}` }).click();
    await page.getByRole("menuitem", { name: "Remove" }).click();
    await give(page, "left", "Remove operator");
    await row.waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await close();
  });

  test("an operator finds out why a call failed, gives the money back and sees it in the audit log", async () => {
    const { account: me, page, faults, close } = await openOperator("finance");
    const account = await newCustomer();
    const id = await call(account, "demo/second");
    const { spent } = await gateway.balance(account);
    expect(spent).toBeGreaterThan(0);
    await page.goto(at("/operator"));
    await page.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Requests" }).click();
    await page.getByRole("searchbox", { name: "Search" }).fill(id);
    await page.getByRole("table", { name: "Requests" }).getByRole("row").nth(1).getByRole("button").click();
    const request = page.getByRole("dialog", { name: "Request" });
    const attempts = request.getByRole("region", { name: "Attempts" });
    await attempts.getByText("north/chat+sim-fail-503").waitFor();
    await attempts.getByText("HTTP 503").waitFor();
    await request.getByRole("button", { name: "Refund" }).click();
    await give(page, "the first provider was down", "Refund");
    await request.getByText("was refunded: the first provider was down.").waitFor();
    await request.getByRole("button", { name: "Close" }).click();
    await page.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("searchbox", { name: "Operator" }).fill(me.email);
    const log = page.getByRole("table", { name: "Audit log" });
    await log.getByText("the first provider was down").waitFor();
    await expect.poll(() => log.getByRole("row").count()).toBe(2);
    await eventually(async () => expect((await gateway.balance(account)).balance).toBe(20));
    expect(faults).toEqual([]);
    await close();
  });
});
