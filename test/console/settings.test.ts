// Settings: what is saved there is what the gateway keeps.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { mailTo, openPerson, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Settings", () => {
  const chromium = useBrowser("the console's settings");
  let gateway: Gateway;
  beforeAll(
    async () => void (gateway = await startGateway({ env: { SVC_RESPONSES_SECRET: "a secret of the tests, which is long enough" } })),
  );
  afterAll(() => gateway?.stop());

  test("the workspace is renamed for everyone, and the password is changed by a mail", async () => {
    const account = await gateway.createAccount();
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const profile = page.getByRole("region", { name: "Profile" });
    await profile.getByLabel("Workspace name").fill("Difference Engines");
    await profile.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Workspace: Difference Engines" }).waitFor();
    await page.getByRole("region", { name: "Security" }).getByRole("button", { name: "Change password" }).click();
    await page.getByText(`on its way to ${account.email}`).waitFor();
    expect(await mailTo(gateway, account.email)).toContain("/console/reset-password#token=");
    expect(await page.getByRole("region", { name: "Danger zone" }).getByRole("button", { name: "Leave workspace" }).isDisabled()).toBe(
      true,
    );
    expect(faults).toEqual([]);
    await close();
  });

  test("sessions are listed and ended, and a session that was ended here is refused", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    await gateway.createSession(account);
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
    await rows.nth(3).waitFor();
    await page.getByRole("button", { name: "End other sessions" }).click();
    await page.getByText("Every other session has ended.").waitFor();
    await rows.nth(2).waitFor({ state: "detached" });
    expect((await gateway.request("GET", "/v1/auth/session", { key: token })).status).toBe(401);
    await rows.getByText("This one").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a month's statement is saved as PDF and CSV; a wrong voucher is refused in words", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/credit`);
    await page.getByRole("link", { name: "Invoices" }).click();
    await page.getByRole("table", { name: "Invoices" }).getByText("$20.00").first().waitFor();
    for (const form of ["PDF", "CSV"] as const) {
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page
          .getByRole("button", { name: new RegExp(`^${form} of`) })
          .first()
          .click(),
      ]);
      const text = readFileSync(await saved.path(), "latin1");
      expect(form === "PDF" ? text.startsWith("%PDF") : text.split("\n").length > 2).toBe(true);
    }
    await page.goto(`${gateway.url}/console/credit?redeem=1`);
    await page.getByLabel("Code").fill("NO-SUCH-CODE");
    await page.getByRole("button", { name: "Redeem", exact: true }).click();
    await page.getByRole("dialog").getByRole("alert").getByRole("button", { name: "Copy request id" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("the person's data is saved as a file; the account is deleted only after the loss of its balance is accepted", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export data" }).click()]);
    expect(readFileSync(await saved.path(), "utf8")).toContain(account.email);
    await page.getByRole("button", { name: "Delete account" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText(account.email).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await dialog.getByRole("alert").getByRole("link", { name: "account_not_deletable" }).waitFor();
    await dialog.getByRole("checkbox").check();
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect((await gateway.request("GET", "/v1/auth/limits", { key: account.key })).status).toBe(401);
    expect(faults).toEqual([]);
    await close();
  });

  test("responses are stored for as many days as are set; that all is deleted is accepted before storing stops", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const days = async () => (await gateway.request("GET", "/v1/workspace", { key: token })).json.response_retention_days as unknown;
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const region = page.getByRole("region", { name: "Stored responses" });
    await region.getByText("Nothing you send").waitFor();
    await region.getByLabel("Days to store them").fill("7");
    await region.getByRole("button", { name: "Store responses" }).click();
    await region.getByText("Responses are stored for 7 days").waitFor();
    expect(await days()).toBe(7);
    await region.getByLabel("Days to store them").fill("1");
    await region.getByRole("button", { name: "Save" }).click();
    await region.getByText("Responses are stored for 1 day,").waitFor();
    await region.getByRole("button", { name: "Stop storing" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("are deleted").waitFor();
    expect([await violationsOf(page), await days()]).toEqual([[], 1]);
    await dialog.getByRole("button", { name: "Stop storing" }).click();
    await region.getByText("Nothing you send").waitFor();
    expect([await violationsOf(page), await days(), faults]).toEqual([[], null, []]);
    await close();
  });

  test("who is told by mail, and from which balance on, is saved", async () => {
    const account = await gateway.createAccount();
    const { token } = await gateway.createSession(account);
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const notices = page.getByRole("region", { name: "Notices" });
    await notices.getByLabel("Low balance (USD)").fill("7.5");
    await notices.getByRole("button", { name: "Save" }).click();
    await page.getByText("The notices are saved.").waitFor();
    const box = notices.getByRole("checkbox", { name: "Admins by mail: Low balance" });
    const was = await box.isChecked();
    await box.click();
    await eventually(async () => {
      const { json } = await gateway.request("GET", "/v1/workspace/notices", { key: token });
      const { roles } = (json.mails as { event: string; roles: string[] }[]).find(({ event }) => event === "balance.low")!;
      expect([json.low_balance_usd, roles.includes("admin")]).toEqual([7.5, !was]);
    });
    expect([await violationsOf(page), faults]).toEqual([[], []]);
    await close();
  });
});
