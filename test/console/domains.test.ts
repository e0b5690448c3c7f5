// Mail domains on the page of members: claimed, verified by the record that the page shows, changed and removed, on a desk and a phone.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { type NameServer, startNameServer } from "../support/name-server.ts";
import { keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Domains", () => {
  const chromium = useBrowser("the console's domains");
  let names: NameServer;
  let gateway: Gateway;
  let owner: TestAccount;
  beforeAll(async () => {
    names = await startNameServer();
    gateway = await startGateway({ env: { SVC_DNS_SERVERS: names.address } });
    owner = await gateway.createAccount();
  });
  afterAll(async () => {
    await gateway?.stop();
    names.close();
  });

  test("a domain is claimed, is not verified before its record is published, gets another role, and is removed", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account: owner });
    await page.goto(`${gateway.url}/console/members`);
    const region = page.getByRole("region", { name: "Domains" });
    await region.getByText("No domains yet").waitFor();
    const claim = async (domain: string) => {
      await region.getByRole("button", { name: "Claim domain" }).click();
      await page.getByRole("dialog").getByLabel("Domain").fill(domain);
      await page.getByRole("dialog").getByLabel("Joins as").selectOption({ label: "Viewer" });
      await page.getByRole("dialog").getByRole("button", { name: "Claim domain" }).click();
    };
    await claim("gmail.com");
    await page.getByRole("dialog").getByText("gives mail addresses to anyone").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await claim("team.example");
    await page.getByText("Publish the TXT record of team.example, then verify it.").waitFor();
    await region.getByText("Not verified").waitFor();
    const act = async (name: string) => {
      await region.getByRole("button", { name: "Actions for team.example" }).click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    };
    await act("Verify");
    await region.getByText("there is no TXT record _svc-verify.team.example").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const value = await region.getByText(/^svc-verify=/).textContent();
    names.records.set("_svc-verify.team.example", [value!.trim()]);
    await act("Verify");
    await region.getByText("Verified", { exact: true }).waitFor();
    await region.getByLabel("Role from team.example").selectOption({ label: "Billing" });
    await page.getByText("New members from team.example now join as billing.").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-members-domains");

    const small = await openPerson(chromium.browser, gateway, { account: owner, viewport: phone, colorScheme: "dark" });
    await small.page.goto(`${gateway.url}/console/members`);
    await small.page.getByRole("region", { name: "Domains" }).getByText("Verified", { exact: true }).waitFor();
    expect(await violationsOf(small.page)).toEqual([]);
    await keepScreen(small.page, "phone-dark-members-domains");
    await small.close();

    await act("Remove");
    await page.getByRole("alertdialog").getByText("team.example").waitFor();
    await page.getByRole("button", { name: "Remove domain" }).click();
    await region.getByText("No domains yet").waitFor();
    const refused = faults.filter((fault) => !/40[09]/.test(fault));
    expect([refused, foreign, small.faults, small.foreign]).toEqual([[], [], [], []]);
    await close();
  });
});
