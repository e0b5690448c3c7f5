// A new person's whole way without a word of documentation: from the sign-up to last month's file.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { paid, startTopupGateway, type TopupGateway } from "../operations/credits/topup-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { mailTo, openPerson } from "./people.ts";

const [email, password] = ["nina-journey@example.com", "correct horse battery"];

describe.skipIf(chromiumPath === null)("a new person", () => {
  const chromium = useBrowser("a new person's whole way");
  let gateway: TopupGateway;
  beforeAll(async () => void (gateway = await startTopupGateway()));
  afterAll(() => gateway?.stop());

  async function signUp(page: Page): Promise<void> {
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("link", { name: "Create account" }).click();
    await page.getByRole("textbox", { name: "Email" }).fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Check your mail").waitFor();
    const link = /(http\S+#token=\S+)/.exec(await mailTo(gateway, email))![1]!;
    await page.goto(link.replace(/^https?:\/\/[^/]+/, gateway.url));
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("link", { name: "Go to Home" }).click();
  }

  /** Tries a model, and returns what the console said it cost. */
  async function tryModel(page: Page): Promise<string> {
    await page.getByRole("link", { name: "Try a model" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Name a lighthouse.");
    await page.getByRole("button", { name: "Send" }).click();
    const receipt = page.getByRole("link", { name: "Receipt" });
    await receipt.waitFor();
    const cost = /Cost (\$[\d.]+)/.exec((await page.getByRole("main").textContent()) ?? "")![1]!;
    await receipt.click();
    return cost;
  }

  /** Sees why it cost that, and proves it. */
  async function readReceipt(page: Page, cost: string): Promise<void> {
    const dialog = page.getByRole("dialog", { name: "Request" });
    await dialog.getByRole("region", { name: "Receipt" }).getByText("Charged").waitFor();
    await dialog.getByRole("region", { name: "Receipt" }).getByText(cost, { exact: true }).first().waitFor();
    await dialog.getByRole("region", { name: "Attempts" }).waitFor();
    await dialog.getByRole("table", { name: "Ledger entries of the request" }).waitFor();
    await dialog.getByRole("button", { name: "Verify receipt" }).click();
    await dialog.getByText("The receipt is genuine and unchanged.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
  }

  async function createKey(page: Page): Promise<void> {
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.getByLabel("Name").fill("website");
    await dialog.getByLabel("Spending limit (USD)").fill("5");
    await dialog.getByLabel("Resets").selectOption({ label: "Every month" });
    await dialog.getByRole("button", { name: "Create key" }).click();
    const key = await page.getByRole("textbox", { name: "API key" }).inputValue();
    await page.getByRole("button", { name: "Done" }).click();
    const body = { model: "cheap", messages: [{ role: "user", content: "Hello" }] };
    expect((await gateway.request("POST", "/v1/chat/completions", { key, body })).status).toBe(200);
  }

  async function addCredit(page: Page): Promise<void> {
    await page.route("https://checkout.stripe.example/**", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Pay</h1>" }));
    await page.getByRole("link", { name: "Credit", exact: true }).click();
    await page.getByRole("button", { name: "Add credit" }).click();
    const dialog = page.getByRole("dialog", { name: "Add credit" });
    await dialog.getByLabel("Amount (USD)").fill("30");
    await dialog.getByRole("button", { name: "Continue to payment" }).click();
    await page.getByRole("heading", { name: "Pay" }).waitFor();
    const [session] = [...gateway.stripe.sessions.values()];
    expect((await gateway.tell("checkout.session.completed", session!, paid)).status).toBe(200);
    await page.goto(`${gateway.url}/console/credit`);
    await page.getByText("$30.00 was added to your balance.").waitFor();
    await page.getByRole("table", { name: "Ledger" }).getByText("$30.00").first().waitFor();
  }

  async function invite(page: Page): Promise<void> {
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("button", { name: "Invite" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite" });
    await dialog.getByLabel("Email").fill("olaf-journey@example.com");
    await dialog.getByRole("button", { name: "Send invitation" }).click();
    await page.getByText("An email is on its way to olaf-journey@example.com.").first().waitFor();
    expect(await mailTo(gateway, "olaf-journey@example.com")).toMatch(/#token=/);
  }

  /** A month later. */
  async function exportLastMonth(page: Page): Promise<void> {
    const later = await page.evaluate<number>(
      "(() => { const now = new Date(); return new Date(now.getFullYear(), now.getMonth() + 1, 15, 12).getTime(); })()",
    );
    await page.clock.setFixedTime(later);
    await page.goto(`${gateway.url}/console`);
    const spend = page.getByRole("region", { name: "Spend" });
    await spend.getByRole("combobox", { name: "Date range" }).selectOption({ label: "Last month" });
    await spend.getByText(/^2 requests, 0 of them failed/).waitFor();
    await spend.getByRole("button", { name: "Show table" }).click();
    await spend.getByRole("table", { name: "Spend by day" }).waitFor();
    expect(new URL(page.url()).search).toBe("?range=last-month");
    await spend.getByRole("link", { name: "By model" }).click();
    await page.getByRole("button", { name: "Date range: Last month" }).waitFor();
    await page.getByRole("table", { name: "Usage" }).getByRole("row").filter({ hasText: "Total" }).waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()]);
    expect(
      readFileSync(await download.path(), "utf8")
        .trim()
        .split("\r\n").length,
    ).toBeGreaterThan(1);
  }

  test("signs up, verifies, tries a model, sees what it cost and why, makes a key with a budget, pays, invites a colleague, exports last month", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await signUp(page);
    await readReceipt(page, await tryModel(page));
    await createKey(page);
    await addCredit(page);
    await invite(page);
    await exportLastMonth(page);
    expect(faults).toEqual([]);
    await close();
  });

  test("with the keyboard alone: goes by the palette, makes a key, disables it by its menu, and sends a message", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    const keys = async (...names: string[]) => {
      for (const name of names) await page.keyboard.press(name);
    };
    /** Tab by Tab, as far as a person would. */
    const tabTo = async (selector: string) => {
      for (let tabs = 0; tabs < 60 && (await page.locator(`${selector}:focus`).count()) === 0; tabs += 1) await page.keyboard.press("Tab");
      expect(await page.locator(`${selector}:focus`).count()).toBe(1);
    };
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.keyboard.press("/");
    await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
    await page.keyboard.type("api keys");
    await keys("Enter");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await tabTo("button:has-text('Create key')");
    await keys("Enter");
    await page.locator("input[name=name]:focus").waitFor();
    await page.keyboard.type("by hand");
    await keys("Enter");
    await page.locator("input[readonly]:focus").waitFor();
    await tabTo("button:has-text('Done')");
    await keys("Enter");
    await tabTo("[aria-label='Actions for by hand']");
    await keys("Enter");
    await page.getByRole("menuitem", { name: "Disable" }).waitFor();
    await eventually(async () => {
      await keys("ArrowDown");
      expect(await page.locator("[role=menuitem]:focus", { hasText: "Disable" }).count()).toBe(1);
    });
    await keys("Enter");
    await page.getByRole("row").filter({ hasText: "by hand" }).getByText("Disabled").waitFor();
    await page.keyboard.press("/");
    await page.getByRole("dialog", { name: "Go to" }).getByRole("combobox").waitFor();
    await page.keyboard.type("playground");
    await keys("Enter");
    await page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
    await tabTo("form textarea");
    await page.keyboard.type("Hello");
    await keys("Enter");
    await page.getByRole("link", { name: "Receipt" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
