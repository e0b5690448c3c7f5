// What people and programs write is text on every page; the page's policy lets nothing else run, and nobody frames it. What the first page
// loads stays small.
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { openPerson } from "./people.ts";

const assets = fileURLToPath(new URL("../../dist/console/assets/", import.meta.url));
const markup = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

describe.skipIf(chromiumPath === null)("the console", () => {
  const chromium = useBrowser("the console's defences");
  let gateway: Gateway;
  let account: TestAccount;
  let model: string;
  beforeAll(async () => {
    gateway = await startGateway();
    account = await gateway.createAccount({ deposit: "20" });
    const { token } = await gateway.createSession(account);
    model = (await gateway.request("GET", "/v1/models?type=language")).json.data[0].id as string;
    await gateway.request("POST", "/v1/auth/keys", { key: token, body: { name: markup.slice(0, 100) } });
    await gateway.request("PATCH", "/v1/workspace", { key: token, body: { name: markup.slice(0, 100) } });
    await gateway.context.db.pool.query("update account set name = $1 where id = $2", [markup.slice(0, 100), account.accountId]);
    const messages = [{ role: "user", content: markup }];
    const body = { model, messages, user: markup.slice(0, 64), metadata: { team: markup.slice(0, 100) } };
    await gateway.request("POST", "/v1/chat/completions", { key: account.key, body, headers: { "user-agent": markup } });
    await gateway.request("POST", "/v1/chat/completions", { key: account.key, body: { ...body, model: markup } });
  });
  afterAll(() => gateway?.stop());

  test("markup in names, tags and addresses is shown as it was written, on every page", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account });
    const word = encodeURIComponent(markup);
    const pages = [
      ...["", "/keys", "/usage?group=tag", "/usage?group=key", `/usage?metric=${word}&group=${word}&from=${word}`, "/logs", "/credit"],
      ...[`/logs?q=${word}&status=${word}&request=${word}`, "/models", `/models?q=${word}`, `/models/${word}`, "/limits", "/members"],
      ...[`/playground?models=${word}`, `/sign-in?next=${word}`, `/verify?email=${word}`, `/${word}`],
    ];
    for (const path of pages) {
      await page.goto(`${gateway.url}/console${path}`);
      await page
        .getByRole("heading")
        .first()
        .waitFor()
        .catch((error: unknown) => {
          throw new Error(`no heading at ${path}`, { cause: error });
        });
      await page.waitForLoadState("networkidle");
      expect([path, await page.title(), await page.locator("img[src=x], script:not([src])").count()]).toEqual([
        path,
        expect.not.stringMatching(/^owned/),
        0,
      ]);
    }
    expect([faults, foreign]).toEqual([[], []]);
    await close();
  });

  test("a model's echo of markup is text in the playground", async () => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(`${gateway.url}/console/playground?models=${model}`);
    await page.getByRole("textbox", { name: "Message" }).fill(`<b>bold</b> ![x](https://evil.example/x.png)`);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: model }).getByRole("link", { name: "Receipt" }).waitFor();
    await page.getByRole("region", { name: model }).getByText("<b>bold</b>").waitFor();
    expect([await page.locator("section img, section b").count(), faults, foreign]).toEqual([0, [], []]);
    await close();
  });

  test("the policy refuses scripts that are not its files, frames, and other origins", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    const reply = await page.goto(`${gateway.url}/console`);
    const policy = reply!.headers()["content-security-policy"]!;
    expect(policy).toMatch(/default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/);
    expect(policy).not.toMatch(/unsafe|\*/);
    await page.evaluate(
      `(() => { const script = document.createElement("script"); script.textContent = "document.title = 'owned'"; document.body.append(script); })()`,
    );
    expect(await page.title()).not.toBe("owned");
    expect(await page.evaluate("fetch('https://evil.example/').then(() => 'sent', () => 'refused')")).toBe("refused");
    expect(faults.filter((text) => !/Content Security Policy|Refused/.test(text))).toEqual([]);
    const framed = await page.context().newPage();
    await framed.setContent(`<iframe src="${gateway.url}/console/sign-in"></iframe>`);
    await framed.waitForLoadState("networkidle");
    expect(await framed.frames()[1]!.getByText("Sign in").count()).toBe(0);
    await close();
  });

  test("the first page loads at most 250 KB, compressed, and no other page's files", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway, { account });
    const loaded = new Set<string>();
    page.on("request", (request) => void (request.url().includes("/console/assets/") && loaded.add(request.url().split("/").at(-1)!)));
    await page.goto(`${gateway.url}/console`);
    await page.getByRole("region", { name: "Balance" }).waitFor();
    await page.waitForLoadState("networkidle");
    const bytes = [...loaded].reduce((sum, name) => sum + statSync(`${assets}${name}.br`).size, 0);
    expect(loaded.size).toBeGreaterThan(2);
    expect(bytes).toBeLessThanOrEqual(250 * 1024);
    expect([...loaded].filter((name) => /^(?:playground|markdown|logs|keys|members|settings|operator)-/.test(name))).toEqual([]);
    await close();
  });
});
