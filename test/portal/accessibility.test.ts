// The portal, and the pages that mails link to, as axe-core judges them in a real browser: no rule of WCAG and no best practice of it is
// broken, on any kind of page, in both schemes, on a desk and on a phone. Skipped where no Chromium is installed (npm run tools:install).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { drawn } from "../support/size.ts";
import { still } from "./open-page.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

const paths = ["", "/guides/quick-start", "/guides/errors", "/guides/limits", "/endpoints", "/errors", "/errors/insufficient_credits", "/api/createChatCompletion", "/api/createSoundEffect", "/api/listModels", "/credits", "/models", "/changelog", "/nothing"]; // prettier-ignore

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

describe.skipIf(chromiumPath === null)("axe", () => {
  let gateway: Gateway;
  const chromium = useBrowser("the portal's accessibility");
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());

  /** `within`: elements of the page, where the rest is Scalar's, which on a phone has a banner of its own. */
  async function violationsOf(page: Page, ...within: string[]): Promise<string[]> {
    const rules = within.length === 0 ? {} : { "landmark-no-duplicate-banner": { enabled: false } };
    const options = JSON.stringify({ resultTypes: ["violations"], rules });
    const place = within.length === 0 ? "document" : JSON.stringify({ include: within });
    const violations = await page.evaluate<Violation[]>(`axe.run(${place}, ${options}).then(({ violations }) => violations)`);
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
  }

  const schemes = drawn(["light", "dark"] as const);

  describe.each(
    drawn([
      ["a desk", desk],
      ["a phone", phone],
    ] as const),
  )("%s", (_, viewport) => {
    let page: Page;
    beforeAll(async () => {
      page = await chromium.browser.newPage({ viewport, colorScheme: schemes[0]!, ...still });
      page.setDefaultTimeout(150_000);
    });
    afterAll(() => page?.close());

    /** What stands on the page now, in each scheme: loading it anew would change its colours and nothing else. */
    async function expectNone(what: string, ...within: string[]): Promise<void> {
      await page.evaluate(axe);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        expect([what, colorScheme, await violationsOf(page, ...within)]).toEqual([what, colorScheme, []]);
      }
    }

    test.each(paths)(`${schemes.join(" and ")}: no violation on /docs%s`, async (path) => {
      await page.goto(`${gateway.url}/docs${path}`);
      await expectNone(path);
    });

    // With a token the form, without one what is said instead.
    test.each(["/verify", "/verify#token=t", "/reset-password", "/reset-password#token=t"])(
      `${schemes.join(" and ")}: no violation on %s`,
      async (path) => {
        await page.goto("about:blank"); // else only the hash changes
        await page.goto(gateway.url + path);
        await page.getByText(path.includes("#") ? /^(Verify|Change) my/ : "The link is not complete.").waitFor();
        await expectNone(path);
      },
    );

    test("/verify and /reset-password follow the scheme", async () => {
      for (const path of ["/verify", "/reset-password"]) {
        await page.goto(gateway.url + path);
        const grounds: string[] = [];
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          grounds.push(await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor"));
        }
        expect([path, ...grounds]).toEqual([path, "rgb(255, 255, 255)", "rgb(23, 23, 26)"]);
      }
    });

    test(`${schemes.join(" and ")}: none with menu and search open either`, async () => {
      await page.goto(`${gateway.url}/docs/guides/quick-start`);
      if (viewport === phone) await page.getByRole("button", { name: "Menu" }).click();
      await page.locator(".menu details").last().locator("summary").click();
      await expectNone("menu");
      await page.keyboard.press("Escape");
      await page.getByLabel("Search the documentation").fill("error");
      await page.getByRole("option").first().waitFor();
      await expectNone("search");
    });

    // Scalar's own content is Scalar's; the frame around it is ours.
    test(`${schemes.join(" and ")}: none in the frame of the reference`, async () => {
      await page.goto(`${gateway.url}/docs/api`);
      await page.getByPlaceholder("Token").first().waitFor();
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await expectNone("frame of the reference", ".top", ".menu");
    });
  });
});
