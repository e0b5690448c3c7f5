// A table of a thousand rows: those near what is seen are in the page, and the others come as one scrolls.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../operations/chat/chat-gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { openPerson, violationsOf } from "./people.ts";

describe.skipIf(chromiumPath === null)("A long list", () => {
  const chromium = useBrowser("the console's long lists");
  const id = (at: number) => `demo/m-${String(at).padStart(4, "0")}`;
  const world = chatWorld(Array.from({ length: 1000 }, (_, at) => language(id(at), ["chat"])));

  test("has few rows in the page, reaches its end, and is searched as a whole", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, world.gateway, { account: await world.account() });
    await page.goto(`${world.gateway.url}/console/models`);
    const table = page.getByRole("table", { name: "Models" });
    await table.getByText(id(0), { exact: true }).waitFor();
    const here = () => table.locator("tbody tr[aria-rowindex]").count();
    expect([await table.getAttribute("aria-rowcount"), (await here()) < 200, await violationsOf(page)]).toEqual(["1001", true, []]);
    const tall = () => page.evaluate<number>("document.documentElement.scrollHeight");
    const before = await tall();
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 2)");
    await table.getByText(id(500), { exact: true }).waitFor();
    await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
    const last = table.getByText(id(999), { exact: true });
    await last.waitFor();
    await last.scrollIntoViewIfNeeded();
    expect([(await here()) < 200, Math.abs((await tall()) - before) < before / 20, await violationsOf(page)]).toEqual([true, true, []]);
    // From the far end to a list of a few.
    await page.getByRole("searchbox", { name: "Search" }).fill("m-050");
    await table.getByText(id(509), { exact: true }).waitFor();
    expect([await table.getByRole("row").count(), await table.getAttribute("aria-rowcount"), faults]).toEqual([11, null, []]);
    await close();
  });
});
