// Settings: what is saved there is what the gateway keeps.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { mailTo, openPerson } from "./people.ts";

describe.skipIf(chromiumPath === null)("Settings", () => {
  const chromium = useBrowser("the console's settings");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
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
});
