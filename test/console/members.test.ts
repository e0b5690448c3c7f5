// Members and workspaces: each tab acts in one workspace, roles change and people leave.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { keepScreen, mailTo, openPerson, phone, violationsOf } from "./people.ts";

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

  test("a workspace is created and entered, a member's role and budget change, the member sees it, and is removed", async () => {
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

    await page.getByRole("button", { name: `Budget of ${joiner.email}` }).click();
    const dialog = page.getByRole("dialog", { name: "Budget" });
    await dialog.getByText(joiner.email).waitFor();
    await dialog.getByLabel("Spending limit (USD)").fill("12.5");
    await dialog.getByLabel("Resets").selectOption({ label: "Every month" });
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText(`The budget of ${joiner.email} is changed.`).waitFor();
    const { rows } = await gateway.context.db.pool.query("select period, period_limit from member_budget");
    expect(rows).toEqual([{ period: "month", period_limit: 1_250_000_000n }]);
    expect(await violationsOf(page)).toEqual([]);

    await member.page.getByRole("link", { name: "Members" }).click();
    const seen = member.page.getByRole("table", { name: "Members" });
    await seen.getByText("Viewer").waitFor();
    await seen.getByText("$12.50 a month").waitFor();
    await seen.getByText("$0.00 spent, $12.50 left").waitFor();
    expect(await member.page.getByRole("button", { name: /^Remove|^Budget/ }).count()).toBe(0);

    await page.getByRole("button", { name: `Budget of ${joiner.email}` }).click();
    await dialog.getByLabel("Spending limit (USD)").fill("");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("table", { name: "Members" }).getByText("$12.50 a month").waitFor({ state: "detached" });

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

  test("a colleague is invited, joins by the mail's link, and an invitation that is revoked is gone", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account: owner });
    await page.goto(`${gateway.url}/console/members`);
    const invite = async (email: string) => {
      await page.getByRole("button", { name: "Invite" }).click();
      await page.getByRole("dialog").getByLabel("Email").fill(email);
      await page.getByRole("dialog").getByLabel("Role").selectOption({ label: "Viewer" });
      await page.getByRole("button", { name: "Send invitation" }).click();
      await page.getByText(`An email is on its way to ${email}.`).waitFor();
    };
    await invite("stranger@example.com");
    const invitations = page.getByRole("table", { name: "Invitations" });
    await invitations.getByRole("button", { name: "Actions for stranger@example.com" }).click();
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke invitation" }).click();
    await page.getByText("No open invitations").waitFor();
    await invite(joiner.email);
    await invitations.getByText(joiner.email).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-members-invitations");

    const [link] = /http\S+\/console\/invitations#token=\S+/.exec(await mailTo(gateway, joiner.email))!;
    const guest = await openPerson(chromium.browser, gateway, { account: joiner, viewport: phone, colorScheme: "dark" });
    await guest.page.goto(link);
    await guest.page.getByRole("strong").getByText(joiner.email).waitFor();
    expect(await violationsOf(guest.page)).toEqual([]);
    await keepScreen(guest.page, "phone-dark-invitation");
    expect(guest.page.url()).not.toContain("token");
    await guest.page.getByRole("button", { name: "Accept invitation" }).click();
    await guest.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await guest.page.goto(`${gateway.url}/console/invitations`);
    await guest.page.getByText("The link is incomplete.").waitFor();

    await page.reload();
    await page.getByRole("table", { name: "Members" }).getByText(joiner.email).waitFor();
    await page.getByText("No open invitations").waitFor();
    expect([faults, foreign, guest.faults, guest.foreign]).toEqual([[], [], [], []]);
    await guest.close();
    await close();
  });
});
