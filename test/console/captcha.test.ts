// The widget of a CAPTCHA on the sign-up page: a stand-in in Turnstile's place, and a policy that names it there and nowhere else.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const origin = "https://challenges.cloudflare.com";
/** A box to tick; each has a token of its own, and the first token is refused. */
const script = `
  let made = 0;
  globalThis.turnstile = {
    render(element, { sitekey, callback }) {
      const number = ++made;
      const button = element.appendChild(document.createElement("button"));
      button.type = "button";
      button.textContent = "I am human, says " + sitekey;
      button.onclick = () => callback((number === 1 ? "wrong-" : "right-") + number);
      element.id = "widget-" + number;
      return element.id;
    },
    remove: (id) => document.getElementById(id)?.replaceChildren(),
  };
  globalThis[new URL(document.currentScript.src).searchParams.get("onload")]();`;

describe.skipIf(chromiumPath === null)("A CAPTCHA on the sign-up page", () => {
  const chromium = useBrowser("the console's CAPTCHA");
  let service: Server;
  let gateway: Gateway;
  const tokens: string[] = [];
  beforeAll(async () => {
    service = createServer((request, response) => {
      void text(request).then((form) => {
        const token = new URLSearchParams(form).get("response") ?? "";
        tokens.push(token);
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ success: token.startsWith("right") }));
      });
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    gateway = await startGateway({
      env: {
        SVC_CAPTCHA_VERIFY_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/siteverify`,
        SVC_CAPTCHA_SECRET: "sesame",
        SVC_CAPTCHA_WIDGET: "turnstile:0x4AAA",
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    service?.close();
  });

  test.each([
    ["desktop", "light", desktop],
    ["phone", "dark", phone],
  ] as const)("%s, %s: a person passes it, is asked once more after a wrong token, and leaves its script behind", async (device, colorScheme, viewport) => {
    tokens.length = 0;
    const { page, context, faults, foreign, close } = await openPerson(chromium.browser, gateway, { viewport, colorScheme });
    await context.route(`${origin}/**`, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
    await page.goto(`${gateway.url}/console/sign-in`);
    await page.getByRole("link", { name: "Create account" }).click();
    const create = page.getByRole("button", { name: "Create account" });
    const box = page.getByRole("button", { name: "I am human, says 0x4AAA" });
    await box.waitFor();
    await page.getByLabel("Email").fill(`${device}@example.com`);
    await page.getByLabel("Password").fill("correct horse battery");
    expect([await create.isEnabled(), await violationsOf(page)]).toEqual([false, []]);
    await box.click();
    await create.click();
    await page.getByRole("link", { name: "captcha_failed" }).waitFor();
    expect(await create.isEnabled()).toBe(false);
    await keepScreen(page, `${device}-${colorScheme}-sign-up-captcha`);
    await box.click();
    await create.click();
    await page.getByText("Check your mail").waitFor();
    expect([tokens, foreign]).toEqual([["wrong-1", "right-2"], [`${origin}/turnstile/v0/api.js?render=explicit&onload=consoleCaptchaReady`]]);
    await page.getByRole("link", { name: "Enter the code" }).click();
    await page.getByRole("heading", { level: 1, name: "Verify your email" }).waitFor();
    await page.waitForFunction("globalThis.turnstile === undefined");
    expect([foreign.length, faults]).toEqual([1, []]);
    await close();
  }); // prettier-ignore

  test("the policy of the sign-up page names its origin; that of other pages, and of a gateway without a widget, does not", async () => {
    const policyAt = async (path: string, of = gateway) => (await of.request("GET", `/console${path}`)).headers["content-security-policy"];
    const own = await policyAt("/sign-up");
    expect(own).toContain(`script-src 'self' ${origin};`);
    expect(own).toContain(`frame-src ${origin}`);
    const others = await Promise.all(["", "/sign-in", "/verify", "/sign-up/x"].map((path) => policyAt(path)));
    expect(others.filter((policy) => policy!.includes("cloudflare"))).toEqual([]);
    expect(others[0]).toMatch(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/);
  });

  test("a widget that does not load says so, and no sign-up is sent", async () => {
    const { page, context, close } = await openPerson(chromium.browser, gateway);
    await context.route(`${origin}/**`, (route) => route.abort());
    await page.goto(`${gateway.url}/console/sign-up/`);
    await page.getByText("The CAPTCHA did not load.").waitFor();
    expect([new URL(page.url()).pathname, await page.getByRole("button", { name: "Create account" }).isEnabled()]).toEqual([
      "/console/sign-up",
      false,
    ]);
    await close();
  });
});
