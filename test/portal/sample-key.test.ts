// The key that the portal puts into the samples of a page for a reader who is signed in to the console: it works, it can only read and call
// models, and it is nowhere but in the page. Skipped where no Chromium is installed (npm run tools:install) or the console was not built.
import { existsSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "../console/people.ts";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";

const isBuilt = existsSync(new URL("../../dist/console/index.html", import.meta.url));
const make = { name: "Make a key for these samples" };

describe.skipIf(chromiumPath === null || !isBuilt)("a key for the samples", () => {
  let gateway: Gateway;
  const chromium = useBrowser("a key for the portal's samples");
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());
  afterEach(async () => void (await Promise.all(chromium.browser.contexts().map((context) => context.close()))));

  const keysOf = async ({ accountId }: Pick<TestAccount, "accountId">) => {
    const { token } = await gateway.createSession({ accountId });
    const { json } = await gateway.request("GET", "/v1/auth/keys", { key: token });
    return json.data.filter(({ name }: { name: string }) => name === "Documentation");
  };

  test.each([
    ["desk-light", desktop, "light"],
    ["phone-dark", phone, "dark"],
  ] as const)(
    "%s: is in every sample, works for an hour, and neither address nor storage holds it",
    async (name, viewport, colorScheme) => {
      const account = await gateway.createAccount({ deposit: "5" });
      const { page, faults, foreign } = await openPerson(chromium.browser, gateway, { account, viewport, colorScheme });
      const addresses: string[] = [];
      page.on("request", (request) => void addresses.push(request.url()));
      await page.goto(`${gateway.url}/docs`);
      await keepScreen(page, `portal-sample-key-before-${name}`);
      await page.getByRole("button", make).click();
      await page.getByText("a key that expires in an hour").waitFor();
      await keepScreen(page, `portal-sample-key-${name}`);
      expect(await violationsOf(page)).toEqual([]);
      const codes = await page.locator(".code pre").allTextContents();
      const key = /Bearer (svc_[^"]+)"/.exec(codes[0]!)![1]!;
      expect(codes[0]).toContain(`${gateway.url}/v1/chat/completions`);
      expect(codes.slice(0, 3).map((code) => code.includes(key))).toEqual([true, true, true]);
      expect(codes.join("")).not.toMatch(/SVC_KEY/);
      expect(codes.join("")).toContain(`apiKey: "${key}"`);

      const model = /"model": "([^"]+)"/.exec(codes[0]!)![1]!;
      const answer = await gateway.request("POST", "/v1/chat/completions", {
        key,
        body: { model, messages: [{ role: "user", content: "Hello!" }] },
      });
      expect(answer.status).toBe(200);
      const other = await gateway.request("DELETE", "/v1/response-cache", { key });
      expect([other.status, other.json.error.code]).toEqual([403, "operation_not_allowed"]);
      const [row] = await keysOf(account);
      const hours = (Date.parse(row.expires_at) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(0.8);
      expect(hours).toBeLessThanOrEqual(1.01);

      const storages = "JSON.stringify([localStorage, sessionStorage]) + document.cookie + location.href";
      expect(await page.evaluate<string>(storages)).not.toContain(key);
      expect(addresses.join(" ")).not.toContain(key);
      const { rows } = await gateway.context.db.pool.query("select row_to_json(k)::text as text from api_key k");
      expect(rows.map(({ text }) => text).join("")).not.toContain(key);
      expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
    },
  );

  test("each page has its own for an hour; an expired one is used again with a new secret, and its old one stays refused", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { page } = await openPerson(chromium.browser, gateway, { account });
    const secretOn = async (path: string) => {
      await page.goto(`${gateway.url}${path}`);
      await page.getByRole("button", make).click();
      await page.getByText("a key that expires in an hour").waitFor();
      return /svc_[A-Za-z0-9_-]+/.exec((await page.locator(".code pre mark").first().textContent())!)![0];
    };
    const statusWith = async (key: string) => (await gateway.request("GET", "/v1/auth/limits", { key })).status;
    const paths = ["/docs/api/createChatCompletion", "/docs/guides/quick-start", "/docs/guides/streaming"];
    const secrets: string[] = [];
    for (const path of paths) secrets.push(await secretOn(path));
    expect(new Set(secrets).size).toBe(3);
    expect(await Promise.all(secrets.map(statusWith))).toEqual([200, 200, 200]);
    expect(await keysOf(account)).toHaveLength(3);
    await gateway.context.db.pool.query(
      "update api_key set expires_at = now() - interval '1 day' where account_id = $1 and name = 'Documentation'",
      [account.accountId],
    );
    await eventually(async () => expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 401, 401]));
    expect(await statusWith(await secretOn(paths[0]!))).toBe(200);
    expect(await Promise.all(secrets.map(statusWith))).toEqual([401, 401, 401]);
    expect(await keysOf(account)).toHaveLength(3);
  });

  test("a reader who is not signed in is told where, and the samples stay as they are", async () => {
    const { page } = await openPerson(chromium.browser, gateway);
    await page.goto(`${gateway.url}/docs/api/createChatCompletion`);
    const before = await page.locator(".code pre").allTextContents();
    await page.getByRole("button", make).click();
    const link = page.getByRole("link", { name: "sign in to the console" });
    expect(new URL((await link.getAttribute("href"))!, page.url()).href).toBe(`${gateway.url}/console`);
    expect(await page.locator(".code pre").allTextContents()).toEqual(before);
    await page.goto(`${gateway.url}/docs/errors`);
    expect(await page.getByRole("button", make).count()).toBe(0);
  });
});
