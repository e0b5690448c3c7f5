// Members and workspaces: each tab acts in one workspace, roles change and people leave.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { keepScreen, openPerson, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Members", () => {
  const chromium = useBrowser("the console's members");
  let gateway: Gateway;
  let owner: TestAccount;
  let joiner: TestAccount;
  beforeAll(async () => {
    gateway = await startGateway();
    owner = await gateway.createAccount({ deposit: "20" });
    joiner = await gateway.createAccount();
  });
  afterAll(() => gateway?.stop());
  /** As accepting an invitation would. */
  const join = (workspaceName: string, { accountId }: TestAccount, role: string) =>
    gateway.context.db.pool.query(
      "insert into member (account_id, person_id, role, created_at) select id, $2, $3, now() from account where workspace_name = $1",
      [workspaceName, accountId, role],
    );

  test("a workspace is created and entered, a member's role changes, the member sees it, and is removed", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account: owner });
    await page.goto(`${gateway.url}/console/members`);
    await page.getByRole("table", { name: "Members" }).getByText("You").waitFor();
    await page.getByRole("button", { name: /^Workspace:/ }).click();
    await page.getByRole("menuitem", { name: "Create workspace" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Engines");
    await page.getByRole("dialog").getByRole("button", { name: "Create workspace" }).click();
    await page.getByRole("button", { name: "Workspace: Engines" }).waitFor();
    // Nothing of the own workspace is left: the new one has no credit.
    await page.getByRole("region", { name: "Balance" }).getByText("$0.00").first().waitFor();
    await join("Engines", joiner, "developer");

    const member = await openPerson(chromium.browser, gateway, { account: joiner, colorScheme: "dark" });
    await member.page.goto(`${gateway.url}/console/keys`);
    await member.page.getByRole("button", { name: /^Workspace:/ }).click();
    await member.page.getByRole("menuitem", { name: "Engines" }).click();
    await member.page.getByRole("button", { name: "Workspace: Engines" }).waitFor();

    await page.getByRole("link", { name: "Members" }).click();
    await page.reload();
    await page.getByLabel(`Role of ${joiner.email}`).selectOption({ label: "Viewer" });
    await page.getByText(`${joiner.email} is now viewer.`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-members-two");
    await member.page.getByRole("link", { name: "Members" }).click();
    await member.page.getByRole("table", { name: "Members" }).getByText("Viewer").waitFor();
    expect(await member.page.getByRole("button", { name: /^Remove/ }).count()).toBe(0);

    await page.getByRole("button", { name: `Remove ${joiner.email}` }).click();
    await page.getByRole("alertdialog").getByText(joiner.email).waitFor();
    await page.getByRole("button", { name: "Remove member" }).click();
    await page.getByText(`${joiner.email} is no longer a member.`).waitFor();
    // Who was removed falls back to the own workspace and is told why.
    await member.page.reload();
    await member.page.getByText("You are no longer a member of that workspace").waitFor();
    await member.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect([faults, foreign, member.faults, member.foreign]).toEqual([[], [], [], []]);
    await member.close();
    await close();
  });

  test("two tabs of one person act in two workspaces at once", async () => {
    const { page, context, close } = await openPerson(chromium.browser, gateway, { account: owner });
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("button", { name: /^Workspace:/ }).click();
    await page.getByRole("menuitem", { name: "Engines" }).click();
    await page.getByRole("button", { name: "Workspace: Engines" }).waitFor();
    const second = await context.newPage();
    await second.goto(`${gateway.url}/console`);
    await second.getByRole("region", { name: "Balance" }).getByText("$20").first().waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Workspace: Engines" }).waitFor();
    await close();
  });
});
