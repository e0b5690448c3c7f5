// A network that is slow or gone, and refusals in the middle of work: pages stay useful, say what is wrong, and go on by themselves.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { keepScreen, openPerson, phone, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("a bad network", () => {
  const chromium = useBrowser("the console's network");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());

  test("a slow one: every page becomes useful, without a fault", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const { page, context, faults, close } = await openPerson(chromium.browser, gateway, { account, viewport: phone });
    const session = await context.newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Network.emulateNetworkConditions", {
      ...{ offline: false, latency: 300, downloadThroughput: 64_000, uploadThroughput: 32_000 },
    });
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("region", { name: "Balance" }).getByText("$20.00").first().waitFor();
    for (const place of ["API keys", "Usage", "Logs", "Credit", "Models", "Playground", "Limits", "Members", "Settings"]) {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("link", { name: place, exact: true }).click();
      await page.getByRole("heading", { level: 1, name: place, exact: true }).waitFor();
      await eventually(async () => expect([place, await page.getByText(/^Loading /).count()]).toEqual([place, 0]));
    }
    expect([faults, await page.getByRole("alert").count()]).toEqual([[], 0]);
    await close();
  });

  test("a gateway that is away: the page says so, keeps what was typed, and goes on when it is back", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const { page, context, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/settings`);
    await page.getByLabel("Workspace name").fill("Half a name");
    await context.setOffline(true);
    const banner = page.getByText("The gateway does not answer.");
    await banner.waitFor();
    await page.getByRole("region", { name: "Profile" }).getByRole("button", { name: "Save" }).click();
    await page.getByRole("region", { name: "Profile" }).getByRole("alert").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await keepScreen(page, "desktop-light-away");
    // A page whose file was never loaded can't be shown now, within the console, and is loaded when the gateway is back.
    await page.getByRole("link", { name: "Limits" }).click();
    await page.getByRole("heading", { name: "This page could not be shown" }).waitFor();
    await page.getByRole("alert").getByText("The gateway did not answer.").waitFor();
    expect(await page.getByRole("link", { name: "Limits" }).count()).toBe(1);
    await context.setOffline(false);
    await page.getByRole("table", { name: "Limits" }).waitFor();
    await banner.waitFor({ state: "detached" });
    await close();
  });
});

describe.skipIf(chromiumPath === null)("refusals in the middle of work", () => {
  const chromium = useBrowser("the console's refusals");
  const tiers = highTiers({ rpm: 3 }); // and so 30 reads, which the pages need
  const world = chatWorld([language("demo/one", ["chat"]), language("demo/down", ["chat+sim-fail-503"])], { tiers });

  test("limits that can't be read are asked for once, and the playground is there without them", async () => {
    const { page, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    let asked = 0;
    await page.route("**/v1/auth/limits", (route) => ((asked += 1), route.fulfill({ status: 404, json: {} })));
    await page.goto(`${world.gateway.url}/console/playground?models=demo/one`);
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "demo/one" }).getByRole("link", { name: "Receipt" }).waitFor();
    expect(asked).toBe(1);
    await close();
  });

  test("402, 429 and 503 are said in words, with what to do and the request's id", async () => {
    const poor = await openPerson(chromium.browser, world.gateway, { account: await world.account({}) });
    const funded = await openPerson(chromium.browser, world.gateway, { account: await world.account(), colorScheme: "dark" });
    const ask = async ({ page }: typeof poor, model: string) => {
      await page.goto(`${world.gateway.url}/console/playground?models=${model}`);
      await page.getByRole("textbox", { name: "Message" }).fill("Hello");
      await page.getByRole("button", { name: "Send" }).click();
      const answer = page.getByRole("region", { name: model });
      await answer
        .getByRole("alert")
        .or(answer.getByRole("link", { name: "Receipt" }))
        .first()
        .waitFor();
      return answer.getByRole("alert");
    };
    const says = async (alert: Awaited<ReturnType<typeof ask>>, code: RegExp) => {
      await alert.getByRole("link", { name: code }).waitFor();
      await alert.getByRole("button", { name: "Copy request id" }).waitFor();
      expect(((await alert.textContent()) ?? "").length).toBeGreaterThan(60);
    };
    await says(await ask(poor, "demo/one"), /^(?:insufficient_credits|model_requires_paid)$/);
    await says(await ask(funded, "demo/down"), /^(?:provider_unavailable|model_unavailable)$/);
    for (let left = 4; left > 0; left--) await ask(funded, "demo/one");
    await says(funded.page.getByRole("region", { name: "demo/one" }).getByRole("alert"), /^rate_limit_exceeded$/);
    expect([await violationsOf(funded.page), poor.faults, funded.faults]).toEqual([[], [], []]);
    await poor.close();
    await funded.close();
  });
});
