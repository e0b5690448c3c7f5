// Webhooks in the console: an endpoint from its creation to its deletion, and what was posted to it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhookServer, trusting, verified, type WebhookServer } from "../operations/team/webhook-server.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("Webhooks", () => {
  const chromium = useBrowser("the console's webhooks");
  let gateway: Gateway;
  let server: WebhookServer;
  beforeAll(async () => {
    server = await startWebhookServer();
    gateway = await startGateway({ notices: { everyMs: 50 }, webhooks: trusting, env: { SVC_ALLOW_PRIVATE_URLS: "1" } });
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.close();
  });

  test.each([
    ["desktop", desktop, "light"],
    ["phone", phone, "dark"],
  ] as const)("%s: an endpoint is added, tested, sent to again, rolled, disabled and deleted", async (device, viewport, colorScheme) => {
    const account = await gateway.createAccount();
    const path = `/hook/${device}`;
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account, viewport, colorScheme });
    await page.goto(`${gateway.url}/console/settings`);
    const region = page.getByRole("region", { name: "Webhooks" });
    await region.getByRole("button", { name: "Add endpoint" }).click();
    const form = page.getByRole("dialog", { name: "Add endpoint" });
    await form.getByLabel("URL").fill(server.url(path));
    await form.getByLabel("Description").fill("The books");
    await form.getByLabel("A payment failed").check();
    expect(await violationsOf(page)).toEqual([]);
    await form.getByRole("button", { name: "Add endpoint" }).click();
    const secret = await form.getByRole("textbox", { name: "Signing secret" }).inputValue();
    await form.getByRole("button", { name: "Done" }).click();
    const row = region.getByRole("table", { name: "Webhooks" }).getByRole("row", { name: "The books" });
    await row.getByText("Enabled").waitFor();

    await row.getByRole("button", { name: "Send a test" }).click();
    const log = page.getByRole("dialog", { name: "Deliveries" });
    await log.getByText("Delivered").waitFor();
    await eventually(() => expect(server.at(path).length).toBe(1));
    expect(verified(server.at(path)[0]!, secret)).toMatchObject({ type: "webhook.test" });
    await log.getByRole("button", { name: "Send again" }).click();
    await eventually(() => expect(server.at(path).length).toBe(2));
    expect([await violationsOf(page), await page.evaluate("new URLSearchParams(location.search).get('webhook')")]).toEqual([
      [],
      expect.any(String),
    ]);
    await keepScreen(page, `${device}-${colorScheme}-webhook-deliveries`);
    await log.getByRole("button", { name: "Close" }).click();

    const act = async (name: string) => {
      await row.getByRole("button", { name: "Actions for" }).click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    };
    await act("Roll secret");
    const roll = page.getByRole("dialog", { name: "Roll secret" });
    await roll.getByLabel("The old secret also signs").selectOption({ label: "Not anymore" });
    await roll.getByRole("button", { name: "Roll secret" }).click();
    expect(await roll.getByRole("textbox", { name: "Signing secret" }).inputValue()).not.toBe(secret);
    await roll.getByRole("button", { name: "Done" }).click();
    await act("Edit");
    const edit = page.getByRole("dialog", { name: "Edit endpoint" });
    await edit.getByLabel("A payment failed").uncheck();
    await edit.getByRole("button", { name: "Save" }).click();
    await row.getByText("All", { exact: true }).waitFor();
    await act("Disable");
    await row.getByText("Disabled").waitFor();
    expect(await row.getByRole("button", { name: "Send a test" }).isDisabled()).toBe(true);
    await region.scrollIntoViewIfNeeded();
    await keepScreen(page, `${device}-${colorScheme}-webhooks`);
    expect(await violationsOf(page)).toEqual([]);
    await act("Delete");
    const confirm = page.getByRole("alertdialog");
    await confirm.getByText(server.url(path)).waitFor();
    await confirm.getByRole("button", { name: "Delete endpoint" }).click();
    await region.getByText("No endpoints yet").waitFor();
    expect([faults, foreign, await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth")]).toEqual([[], [], 0]);
    await close();
  });

  test("an endpoint that refuses says so in its log; an address that is no public one is refused in words", async () => {
    const account = await gateway.createAccount();
    server.answers.set("/hook/angry", (response) => void response.writeHead(500).end("out of order"));
    const { token } = await gateway.createSession(account);
    await gateway.request("POST", "/v1/workspace/webhooks", { key: token, body: { url: server.url("/hook/angry") } });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    const region = page.getByRole("region", { name: "Webhooks" });
    await region.getByRole("button", { name: "Send a test" }).click();
    const log = page.getByRole("dialog", { name: "Deliveries" });
    await log.getByText("out of order").waitFor();
    await log.getByText("500", { exact: true }).waitFor();
    await log.getByRole("button", { name: "Close" }).click();
    await region.getByRole("button", { name: "Add endpoint" }).click();
    const form = page.getByRole("dialog", { name: "Add endpoint" });
    await form.getByLabel("URL").fill("https://user:word@files.test/hook");
    await form.getByRole("button", { name: "Add endpoint" }).click();
    await form.getByRole("alert").getByRole("button", { name: "Copy request id" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
