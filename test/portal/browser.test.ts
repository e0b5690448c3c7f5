// The portal in a real browser: nothing is asked of anybody else, nothing is complained about, a call from the page reaches this gateway,
// an error's doc_url leads to its entry, and a phone shows it all. Skipped where no Chromium is installed (npm run tools:install).
import { createServer, type Server } from "node:http";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { buildDocs } from "../../src/docs/build.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { openPage } from "./open-page.ts";
import { drawn, oneInThree } from "../support/size.ts";

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };

describe.skipIf(chromiumPath === null)("in a browser", () => {
  let gateway: Gateway;
  const chromium = useBrowser("the portal in a browser");
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());
  afterEach(async () => void (await Promise.all(chromium.browser.contexts().map((context) => context.close()))));

  /** What is done in the interactive reference, which a page takes seconds to load. */
  const inReference = drawn(["frame", "call", "sound"], 2);
  const testReference = (what: string) => test.runIf(inReference.includes(what));

  const open = (viewport: typeof desk, allowed = [gateway.url], colorScheme: "light" | "dark" = "light") =>
    openPage(chromium.browser, { viewport, allowed, colorScheme });

  const paths = ["", "/guides/quick-start", "/endpoints", "/errors", "/errors/insufficient_credits", "/api/createChatCompletion", "/api/createResponse", "/credits", "/models", "/changelog"]; // prettier-ignore

  /** A scheme that changes while a page is shown spares loading each once more for the other one. */
  async function expectNoneSideways(page: Page, path: string, schemes: readonly ("light" | "dark")[]): Promise<void> {
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      expect([path, colorScheme, await sidewaysOf(page)]).toEqual([path, colorScheme, 0]);
    }
    await page.emulateMedia({ colorScheme: schemes[0]! });
  }

  // The interactive reference takes longer to load than all of them: on a desk the test of its bar looks at the same.
  test.each(
    drawn([
      ["a desk", desk, ["light", "dark"]],
      ["a phone", phone, ["dark", "light"]],
    ] as const),
  )("%s: every kind of page, with no foreign request, no complaint and no scrolling sideways", async (_, viewport, schemes) => {
    const { page, faults, foreign } = await open(viewport, [gateway.url], schemes[0]);
    for (const path of paths) {
      await page.goto(`${gateway.url}/docs${path}`);
      await expectNoneSideways(page, path, schemes);
    }
    if (viewport === phone) {
      await page.goto(`${gateway.url}/docs/api`);
      await page.getByPlaceholder("Token").first().waitFor();
      await expectNoneSideways(page, "/api", schemes);
    }
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("a phone's menu opens without a script and leads on", async () => {
    const { page, faults } = await open(phone);
    await page.goto(`${gateway.url}/docs`);
    const link = page.locator(".menu").getByRole("link", { name: "Error codes" });
    expect(await link.isVisible()).toBe(false);
    await page.getByText("Menu", { exact: true }).click();
    await link.click();
    await page.waitForURL(`${gateway.url}/docs/errors`);
    expect(faults).toEqual([]);
  });

  test("tabs of a sample change its language without a script", async () => {
    const { page } = await open(desk);
    await page.goto(`${gateway.url}/docs`);
    const sample = page.locator(".tabs").first();
    expect(await sample.getByText("curl http").isVisible()).toBe(true);
    await sample.getByText("Python", { exact: true }).first().click();
    expect([await sample.getByText("curl http").isVisible(), await sample.getByText("from openai").isVisible()]).toEqual([false, true]);
  });

  test("search finds a code by its name and leads to its page", async () => {
    const { page, faults, foreign } = await open(desk);
    await page.goto(`${gateway.url}/docs/guides/errors`);
    await page.keyboard.press("/");
    await page.keyboard.type("insufficient credits");
    await page.getByRole("option").first().waitFor();
    await page.getByLabel("Search the documentation").fill("insufficient_cr");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${gateway.url}/docs/errors/insufficient_credits`);
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test.each(
    drawn(
      [
        ["refund", "Billing on failure"],
        ["rate limit", "Limits"],
        ["how do I get a key", "Accounts and credit"],
        ["ANTHROPIC_BASE_URL", "Integrations"],
        ["idempotency", "Errors"],
        ["429", "Limits"],
        ["Retry-After", "Errors"],
        ["claude-code", "Integrations"],
      ],
      3,
    ),
  )("search reads headings and texts, and takes a question: %s", async (question, wanted) => {
    const { page, faults, foreign } = await open(desk);
    await page.goto(`${gateway.url}/docs/guides/errors`);
    await page.getByLabel("Search the documentation").fill(question);
    await page.getByRole("option").first().waitFor();
    expect((await page.getByRole("option").allInnerTexts()).slice(0, 4).join("\n")).toContain(wanted);
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test("what leads nowhere is a page with menu and search", async () => {
    const { page } = await open(desk);
    for (const path of ["/docs/nosuch", "/docs/guides/decisions", "/docs/guides/operator"]) {
      const answer = await page.goto(gateway.url + path);
      expect([path, answer!.status()]).toEqual([path, 404]);
      await page.getByRole("heading", { name: "There is no such page" }).waitFor();
      await page.getByLabel("Search the documentation").fill("streaming");
      await page.getByRole("option", { name: /^Streaming Guide/ }).click();
      await page.waitForURL(`${gateway.url}/docs/guides/streaming`);
    }
  });

  testReference("frame")(
    "the interactive reference lists the tags in the order of the contract, and has the portal's bar: the way back, its search, its menu",
    async () => {
      const { page, faults, foreign } = await open(desk);
      await page.goto(`${gateway.url}/docs/api`);
      await page.getByPlaceholder("Token").first().waitFor();
      const groups = page.getByRole("button", { name: /^(Open|Close) Group - / });
      await groups.first().waitFor();
      const { tags } = (await gateway.request("GET", "/openapi.json")).json as { tags: { name: string }[] };
      const shown = (await groups.allInnerTexts()).map((text) => text.split(" - ")[1]);
      expect(shown).toEqual(tags.map(({ name }) => name));
      await expectNoneSideways(page, "/api", ["light", "dark"]);
      await page.getByRole("button", { name: "Menu", exact: true }).click();
      await page.locator(".menu").getByRole("link", { name: "Error codes" }).click();
      await page.waitForURL(`${gateway.url}/docs/errors`);
      await page.goBack();
      await page.getByLabel("Search the documentation").fill("insufficient_cr");
      await page.getByRole("option").first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(`${gateway.url}/docs/errors/insufficient_credits`);
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    },
  );

  oneInThree()("without scripts every page can be read: nothing is missing but search and copying", async () => {
    const context = await chromium.browser.newContext({ viewport: phone, javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${gateway.url}/docs`);
    await page.getByText("Menu", { exact: true }).click();
    await page.locator(".menu").getByRole("link", { name: "Error codes" }).click();
    await page.locator("#insufficient_credits").waitFor();
    await page.goto(`${gateway.url}/docs/api`);
    await page.getByText("/v1/chat/completions").first().waitFor();
  });

  /** From the page of an operation to the answer of a call, with the key typed in. */
  async function tryOut(page: Page, id: "createChatCompletion" | "createSpeech", key: string) {
    const { path } = operations[id];
    await page.goto(`${gateway.url}/docs/api/${id}`);
    await page.getByRole("link", { name: "Try it" }).click();
    await page.getByPlaceholder("Token").first().fill(key);
    await page.getByRole("button", { name: new RegExp(`Test Request.*post ${path}`, "s") }).click();
    const answered = page.waitForResponse((response) => response.url() === gateway.url + path);
    await page.getByRole("button", { name: /Send/ }).filter({ visible: true }).first().click();
    const answer = await answered;
    expect([answer.status(), answer.request().headers()["authorization"]]).toEqual([200, `Bearer ${key}`]);
    await page.getByText("200 OK").first().waitFor();
  }

  testReference("call")(
    "try-it: a call with a key typed into the page is answered by this gateway, and nobody else hears of it",
    async () => {
      const { key } = await gateway.createAccount({ deposit: "5" });
      const { page, faults, foreign } = await open(desk);
      await tryOut(page, "createChatCompletion", key);
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
      expect(gateway.simulator.calls()).toHaveLength(1);
    },
  );

  testReference("sound")("try-it: what is answered as sound can be played", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    const { page, faults, foreign } = await open(desk, [gateway.url, `blob:${gateway.url}`]);
    await tryOut(page, "createSpeech", key);
    await page.locator("audio").waitFor();
    await page.waitForFunction("document.querySelector('audio').duration > 0");
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });

  test.each([
    ["a desk", desk],
    ["a phone", phone],
  ] as const)("%s: the doc_url of a real 402 leads to the entry of its code", async (_, viewport) => {
    const { key } = await gateway.createAccount();
    const { data } = (await gateway.request("GET", "/v1/models?type=language")).json;
    const model = data.find((row: { free_tier: boolean }) => !row.free_tier).id as string;
    const body = { model, messages: [{ role: "user", content: "Hello" }] };
    const refused = await gateway.request("POST", "/v1/chat/completions", { key, body });
    expect([refused.status, refused.json.error.code]).toEqual([402, "model_requires_paid"]);

    const { page, faults } = await open(viewport);
    await page.goto(refused.json.error.doc_url);
    const entry = page.locator(":target");
    expect(await entry.innerText()).toMatch(/^model_requires_paid/);
    const box = (await entry.locator("h3").boundingBox())!;
    const bar = 56; // what stays at the top
    expect([box.y >= bar, box.y < viewport.height / 2]).toEqual([true, true]);
    await entry.getByRole("link", { name: "model_requires_paid", exact: true }).click();
    await page.getByRole("heading", { name: "How to fix it" }).waitFor();
    expect(faults).toEqual([]);
  });

  oneInThree()("the static site works from a file server under a prefix, its reference too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-docs-browser-"));
    await buildDocs(folder, gateway.url);
    const files = await serveFolder(folder, "/some/prefix/");
    try {
      const { page, faults, foreign } = await open(desk, [files.url]);
      await page.goto(`${files.url}/some/prefix/index.html`);
      await page.locator(".menu").getByRole("link", { name: "Error codes" }).click();
      await page.getByText("insufficient_credits").first().waitFor();
      await page.goto(`${files.url}/some/prefix/api.html`);
      await page.getByPlaceholder("Token").first().waitFor();
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    } finally {
      files.server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** How far a page can be pushed to the left, in pixels. */
async function sidewaysOf(page: Page): Promise<number> {
  return page.evaluate<number>("Math.max(0, document.documentElement.scrollWidth - window.innerWidth)");
}

const types: Record<string, string> = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml", json: "application/json", md: "text/plain" }; // prettier-ignore

async function serveFolder(folder: string, prefix: string): Promise<{ server: Server; url: string }> {
  const server = createServer(({ url = "/" }, res) => {
    const path = join(folder, url.split(/[?#]/)[0]!.slice(prefix.length));
    const found = url.startsWith(prefix) && existsSync(path);
    res.writeHead(found ? 200 : 404, { "content-type": types[path.split(".").at(-1)!] ?? "text/plain" });
    res.end(found ? readFileSync(path) : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
