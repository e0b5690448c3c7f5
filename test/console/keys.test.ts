// API keys: what the dialogs say is what the gateway keeps, and what it refuses is said.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("API keys", () => {
  const chromium = useBrowser("the console's API keys");
  let gateway: Gateway;
  let account: TestAccount;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.createAccount({ deposit: "20" });
  });
  afterAll(() => gateway?.stop());
  const keyNamed = async (name: string) => {
    const { data } = (await gateway.request("GET", "/v1/auth/keys", { key: account.key })).json;
    return (data as any[]).find((key) => key.name === name);
  };

  test.each([
    ["desktop", desktop, "light"],
    ["phone", phone, "dark"],
  ] as const)("%s: a key is created with limits, changed, rolled and deleted", async (device, viewport, colorScheme) => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account, viewport, colorScheme });
    const name = `worker ${device}`;
    await page.goto(`${gateway.url}/console/keys`);
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.getByLabel("Name").fill(name);
    await dialog.getByLabel("Spending limit (USD)").fill("5");
    await dialog.getByLabel("Resets").selectOption({ label: "Every day" });
    await dialog.getByLabel("Limit in all (USD)").fill("50");
    await dialog.getByLabel("Expires").fill("2031-01-31");
    await dialog.getByLabel("Allowed models").fill("north/*\nnorth/chat-large");
    await dialog.getByText("More settings").click();
    await dialog.getByLabel("Allowed networks").fill("192.0.2.0/24");
    await dialog.getByLabel("Requests a minute").fill("30");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Create key" }).click();
    const first = await page.getByRole("textbox", { name: "API key" }).inputValue();
    await page.getByRole("button", { name: "Done" }).click();
    expect(await keyNamed(name)).toMatchObject({
      ...{ limit_usd: 5, limit_resets: "daily", lifetime_limit_usd: 50, rpm: 30, tpm: null },
      ...{ expires_at: "2031-01-31T22:59:59.000Z", allowed_models: ["north/*", "north/chat-large"], allowed_networks: ["192.0.2.0/24"] },
    });
    const act = async (action: string) => {
      await page.getByRole("button", { name: `Actions for ${name}` }).click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await act("Edit");
    await page.getByLabel("Allowed models").fill("");
    await page.getByLabel("Spending limit (USD)").fill("7.5");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(`${name} is changed.`).waitFor();
    expect(await keyNamed(name)).toMatchObject({ limit_usd: 7.5, lifetime_limit_usd: 50, allowed_models: null, rpm: 30 });
    await act("Roll");
    await page.getByLabel("The old secret works").selectOption({ label: "Not anymore" });
    await page.getByRole("button", { name: "Roll key" }).click();
    expect(await page.getByRole("textbox", { name: "API key" }).inputValue()).not.toBe(first);
    await page.getByRole("button", { name: "Done" }).click();
    expect((await gateway.request("GET", "/v1/auth/limits", { key: first })).status).toBe(401);
    await act("Disable");
    await page.getByText(`${name} is disabled.`).waitFor();
    await act("Delete");
    await page.getByRole("alertdialog").getByText(name).waitFor();
    await page.getByRole("button", { name: "Delete key" }).click();
    await page.getByText(`${name} is deleted.`).waitFor();
    expect(await keyNamed(name)).toBeUndefined();
    expect([faults, foreign]).toEqual([[], []]);
    await close();
  });

  test.each([
    ["desktop", desktop],
    ["phone", phone],
  ] as const)("%s: the menu of a key is in view, however wide its row is", async (_, viewport) => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account, viewport });
    await page.route("**/v1/auth/keys", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: object[] };
      const wide = { ...{ usage_usd: 1234.56789012, limit_usd: 123_456.5, lifetime_limit_usd: 1_234_567.5, limit_resets: "monthly" } };
      const data = body.data.map((key) => ({ ...key, ...wide, previous_secret_until: "2031-01-31T22:59:59.000Z" }));
      await route.fulfill({ response: answer, json: { ...body, data } });
    });
    await page.goto(`${gateway.url}/console/keys`);
    const menu = page.getByRole("button", { name: "Actions for" }).first();
    const { x, width } = (await menu.boundingBox())!;
    expect(x + width).toBeLessThanOrEqual(viewport.width);
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, `keys-wide-${viewport.width}`);
    await menu.click();
    await page.getByRole("menuitem", { name: "Roll" }).waitFor();
    await close();
  });

  test("what the gateway refuses is said with its field, and what was entered stays", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/keys?create=1`);
    const dialog = page.getByRole("dialog", { name: "Create key" });
    await dialog.getByLabel("Name").fill("refused");
    await dialog.getByText("More settings").click();
    await dialog.getByLabel("Allowed networks").fill("not-a-network");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("alert").getByText("allowed_networks").first().waitFor();
    expect(await dialog.getByLabel("Name").inputValue()).toBe("refused");
    expect(await keyNamed("refused")).toBeUndefined();
    await close();
  });
});
