// What the first page costs a slow machine, in bytes and in what waits for what; seconds are in docs/benchmarks.md.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { openPerson } from "./people.ts";

describe.skipIf(chromiumPath === null)("the first load", () => {
  const chromium = useBrowser("the console's first load");
  let gateway: Gateway;
  let account: TestAccount;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.createAccount({ deposit: "20" });
  });
  afterAll(() => gateway?.stop());

  test("what Home reads is asked for before its large scripts are there, once, and each script is named by the page itself", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    const asked: string[] = [];
    const scripts: string[] = [];
    const refused: string[] = [];
    page.on("response", (reply) => void (reply.status() >= 400 && refused.push(reply.url())));
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/v1/")) asked.push(pathname);
      if (pathname.endsWith(".js")) scripts.push(pathname);
    });
    const early = ["/v1/auth/session", "/v1/workspace", "/v1/workspaces", "/v1/credits/balance", "/v1/auth/usage/logs"];
    // React and the router come when all that is asked for: who asks with them would wait for ever.
    await page.route("**/assets/vendor-*.js", async (route) => {
      await eventually(() => expect([...asked].sort()).toEqual([...early].sort()));
      await route.continue();
    });
    const html = await (await page.goto(`${gateway.url}/console`))!.text();
    await page.getByRole("region", { name: "Balance" }).getByText("$20.00").first().waitFor();
    await page.getByText("No requests yet.").waitFor();
    expect([...asked].sort()).toEqual([...new Set(asked)].sort());
    expect(refused).toEqual([]);
    const drawn = scripts.filter((path) => !/\/(?:popups|ToolbarRootContext)-/.test(path));
    expect(drawn.filter((path) => !html.includes(`"${path}"`))).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  test("Home is at most 150 KB of files, compressed", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account });
    const sizes = new Map<string, number>();
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.startsWith("/console")) sizes.set(pathname, Number(response.headers()["content-length"]));
    });
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("region", { name: "Balance" }).getByText("$20.00").first().waitFor();
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(150_000);
    await close();
  });

  test("an early answer that is a refusal is asked for again; a signed-out person is led to the sign-in, and back", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    let refused = 0;
    await page.route("**/v1/credits/balance", (route) => (refused++ === 0 ? route.fulfill({ status: 429, json: {} }) : route.continue()));
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("region", { name: "Balance" }).getByText("$20.00").first().waitFor();
    expect([refused, faults]).toEqual([2, []]);
    await close();
    const stranger = await openPerson(chromium.browser, gateway);
    await stranger.page.goto(`${gateway.url}/console/keys`);
    await stranger.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect([new URL(stranger.page.url()).search, stranger.faults]).toEqual(["?next=%2Fkeys", []]);
    await stranger.close();
  });
});
