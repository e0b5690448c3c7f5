// What a reader of the portal does with it in a real browser beside reading: searches by keyboard, chooses a theme and a language, which
// stay. Skipped where no Chromium is installed (npm run tools:install).
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { openPage } from "./open-page.ts";

const viewport = { width: 1280, height: 900 };

describe.skipIf(chromiumPath === null)("in a browser", () => {
  let gateway: Gateway;
  const chromium = useBrowser("a reader's choices");
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());
  afterEach(async () => void (await Promise.all(chromium.browser.contexts().map((context) => context.close()))));

  const open = (colorScheme: "light" | "dark" = "light") => openPage(chromium.browser, { viewport, allowed: [gateway.url], colorScheme });

  test("search works by keyboard alone, leads to a section, and forgives a typing mistake", async () => {
    const { page, faults, foreign } = await open();
    await page.goto(`${gateway.url}/docs`);
    await page.keyboard.press("/");
    await page.keyboard.type("interupted stream");
    const search = page.getByRole("combobox", { name: "Search the documentation" });
    await page.getByRole("option").nth(1).waitFor();
    expect(await search.getAttribute("aria-expanded")).toBe("true");
    const active = async () => page.locator(`#${await search.getAttribute("aria-activedescendant")}`);
    const first = await (await active()).getAttribute("href");
    await page.keyboard.press("ArrowDown");
    const second = await (await active()).getAttribute("href");
    expect(second).not.toBe(first);
    await page.keyboard.press("Escape");
    expect(await page.getByRole("option").count()).toBe(0);
    await page.keyboard.press("/");
    await page.keyboard.type("error that ends a stream");
    await page.getByRole("option", { name: /: / }).first().waitFor();
    const place = await page.getByRole("option", { name: /: / }).first().getAttribute("href");
    expect(place).toContain("#");
    await page.goto(new URL(place!, page.url()).href);
    await page.locator(":target").waitFor();
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  // One test, for the reference takes as long to load as all the rest.
  test("the theme is the system's until the reader chooses one; it and the language stay on every page, the reference too", async () => {
    const { page, faults } = await open("dark");
    const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    const [light, dark] = ["rgb(255, 255, 255)", "rgb(15, 19, 26)"];
    await page.goto(`${gateway.url}/docs`);
    expect(await background()).toBe(dark);
    await page.getByRole("button", { name: "Theme: system" }).click();
    expect(await background()).toBe(light);
    await page.locator(".tabs").first().getByText("Python", { exact: true }).first().click();
    await page.goto(`${gateway.url}/docs/models`);
    expect(await background()).toBe(light);
    await page.goto(`${gateway.url}/docs/api/createChatCompletion`);
    expect(await page.getByText("from openai").first().isVisible()).toBe(true);
    await page.goto(`${gateway.url}/docs/guides/quick-start`);
    expect(await page.locator('.tabs > input[data-language^="Python"]').first().isChecked()).toBe(true);
    await page.goto(`${gateway.url}/docs/api`);
    await page.getByPlaceholder("Token").first().waitFor();
    await page.getByText("requests.post").first().waitFor();
    expect(await background()).toBe(light);
    expect(await page.evaluate<boolean>("document.body.classList.contains('light-mode')")).toBe(true);
    await page.getByRole("button", { name: "Theme: light" }).click();
    expect([await background(), await page.evaluate<boolean>("document.body.classList.contains('dark-mode')")]).toEqual([dark, true]);
    await page.getByRole("button", { name: "Theme: dark" }).click();
    await page.goto(`${gateway.url}/docs`);
    await page.getByRole("button", { name: "Theme: system" }).waitFor();
    expect(faults).toEqual([]);
  });
});
