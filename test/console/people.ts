// A person at the console: a browser of their own, what it complains of, and the mails that they get.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { sessionCookiePair } from "../../src/accounts/tokens.ts";
import { eventually } from "../support/eventually.ts";
import type { Gateway, TestAccount } from "../support/gateway.ts";

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screens = fileURLToPath(new URL("../../dist/console-screens/", import.meta.url));

export interface Person {
  page: Page;
  context: BrowserContext;
  /** What the console or the page complained of; refusals that a test provokes are not among them. */
  faults: string[];
  /** Requests that left the gateway's origin. */
  foreign: string[];
  close(): Promise<void>;
}

interface Options {
  account?: Pick<TestAccount, "accountId">;
  viewport?: { width: number; height: number };
  colorScheme?: "light" | "dark";
}

export async function openPerson(browser: Browser, gateway: Gateway, options: Options = {}): Promise<Person> {
  const { account, viewport = desktop, colorScheme = "light" } = options;
  // Without motion: a browser without a graphics card draws what moves over and over, at the cost of what is tested.
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: "reduce", timezoneId: "Europe/Berlin" });
  if (account !== undefined) {
    const [name, value] = sessionCookiePair((await gateway.createSession(account)).token).split("=") as [string, string];
    await context.addCookies([{ name, value, url: gateway.url.replace("http:", "https:"), secure: true }]);
  }
  const page = await context.newPage();
  page.setDefaultTimeout(150_000);
  const faults: string[] = [];
  const foreign: string[] = [];
  page.on("pageerror", (error) => void faults.push(String(error)));
  page.on("console", (message) => {
    // The browser itself reports each answer of 400 and above.
    if (["error", "warning"].includes(message.type()) && !message.text().startsWith("Failed to load resource")) faults.push(message.text());
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(gateway.url) && !/^(?:data|blob):/.test(url)) foreign.push(url);
  });
  return { page, context, faults, foreign, close: () => context.close() };
}

/** What axe-core objects to, as sentences. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<{ id: string; nodes: { html: string; failureSummary: string }[] }[]>(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.slice(0, 2).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  );
}

export async function keepScreen(page: Page, name: string): Promise<void> {
  mkdirSync(screens, { recursive: true });
  await page.screenshot({ path: join(screens, `${name}.png`) });
}

/** The last mail to an address. */
export async function mailTo(gateway: Gateway, email: string): Promise<string> {
  return eventually(() => {
    const text = gateway.mails.findLast(({ to }) => to === email)?.text;
    if (text === undefined) throw new Error(`no mail to ${email}`);
    return text;
  });
}
