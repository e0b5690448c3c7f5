// Every page of the console: on a desk and on a phone, light and dark, no fault of axe, no complaint of the browser, nothing that leaves
// the origin, nothing wider than the screen. A screen of each is kept in dist/console-screens.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const outside: Record<string, string> = {
  "/sign-up": "Create your account",
  "/verify": "Verify your email",
  "/sign-in": "Sign in",
  "/forgot-password": "Forgot your password?",
  "/reset-password": "The link is incomplete",
};
const inside: Record<string, string> = {
  "": "Home",
  "/keys": "API keys",
  "/usage": "Usage",
  "/usage?group=model&range=24h&compare=1": "Usage",
  "/logs": "Logs",
  "/credit": "Credit",
  "/credit/invoices": "Invoices",
  "/models": "Models",
  "/playground": "Playground",
  "/playground?tab=images": "Playground",
  "/playground?tab=speech": "Playground",
  "/playground?tab=transcription": "Playground",
  "/playground?tab=music": "Playground",
  "/playground?tab=video": "Playground",
  "/limits": "Limits",
  "/members": "Members",
  "/settings": "Settings",
  "/nothing": "Page not found",
};

describe.skipIf(chromiumPath === null)("pages", () => {
  const chromium = useBrowser("the console's pages");
  let gateway: Gateway;
  let account: TestAccount;
  let model: string;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.createAccount({ deposit: "20" });
    const models = (await gateway.request("GET", "/v1/models?type=language")).json.data as { id: string }[];
    model = models[0]!.id;
    for (const content of ["Hello", "Name a lighthouse."]) {
      const body = { model, messages: [{ role: "user", content }] };
      expect((await gateway.request("POST", "/v1/chat/completions", { key: account.key, body })).status).toBe(200);
    }
    const { token } = await gateway.createSession(account);
    const invited = { email: "somebody-with-a-long-address@example.com", role: "developer" };
    expect((await gateway.request("POST", "/v1/workspace/invitations", { key: token, body: invited })).status).toBe(200);
  });
  afterAll(() => gateway?.stop());

  describe.each([
    ["desktop", desktop],
    ["phone", phone],
  ] as const)("%s", (device, viewport) => {
    test.each(["light", "dark"] as const)("%s: every page holds", async (colorScheme) => {
      const found: Record<string, unknown> = {};
      const look = async (pages: Record<string, string>, who: { account?: TestAccount }) => {
        const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { viewport, colorScheme, ...who });
        for (const [path, heading] of Object.entries(pages)) {
          await page.goto(`${gateway.url}/console${path}`);
          await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
          await page.waitForLoadState("networkidle");
          const wide = await page.evaluate<number>("document.documentElement.scrollWidth - window.innerWidth");
          // Of a table that scrolls sideways the first column is what is seen: no word is broken there for want of room.
          const narrow = await page.evaluate<string[]>(
            `[...document.querySelectorAll("tr > td:first-child")].filter((td) => td.clientWidth < 120 && td.clientHeight > 60).map((td) => td.textContent)`,
          );
          const wrong = [
            ...narrow.map((text) => `no room for: ${text}`),
            ...(await violationsOf(page)),
            ...faults.splice(0),
            ...foreign.splice(0),
            ...(wide > 0 ? [`${wide} px too wide`] : []),
          ];
          if (wrong.length > 0) found[path] = wrong;
          await keepScreen(page, `${device}-${colorScheme}${path.replaceAll(/[/?=&]/g, "-") || "-home"}`);
        }
        await close();
      };
      await look(outside, {});
      await look({ ...inside, [`/models/${model}`]: await nameOf(model) }, { account });
      expect(found).toEqual({});
    });
  });

  test("a 4K screen is used: letters are larger, and the page takes two thirds of the width", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account, viewport: { width: 3840, height: 2160 } });
    for (const [path, heading] of [["", "Home"], ["/keys", "API keys"], ["/settings", "Settings"]] as const) {
      await page.goto(`${gateway.url}/console${path}`);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
      await page.waitForLoadState("networkidle");
      const [width, letters] = await page.evaluate<[number, number]>(
        `[document.querySelector("main > div").clientWidth, parseFloat(getComputedStyle(document.documentElement).fontSize)]`,
      );
      expect([path, width > 2_560, letters]).toEqual([path, true, 22]);
      await keepScreen(page, `4k-light${path.replaceAll("/", "-") || "-home"}`);
    } // prettier-ignore
    await close();
  });

  test("at 1280 px no column of the table of keys is out of view", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account, viewport: { width: 1280, height: 800 } });
    await page.goto(`${gateway.url}/console/keys`);
    await page.getByRole("table", { name: "Keys" }).getByRole("row").nth(1).waitFor();
    const hidden = await page.evaluate<number>(
      `(({ parentElement: box }) => box.scrollWidth - box.clientWidth)(document.querySelector("table"))`,
    );
    expect(hidden).toBe(0);
    await close();
  });

  const nameOf = async (id: string) => (await gateway.request("GET", `/v1/models/${encodeURIComponent(id)}`)).json.name as string;
});
