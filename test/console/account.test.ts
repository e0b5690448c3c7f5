// Before the session: signing up, the mail, signing in and out, a forgotten password.
import type { Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { mailTo, openPerson } from "./people.ts";

const password = "correct horse battery";

describe.skipIf(chromiumPath === null)("a person at the console", () => {
  const chromium = useBrowser("the console");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());
  const at = (path: string) => `${gateway.url}/console${path}`;

  test("signs up, follows the code of the mail, sees the first key once and reaches Home", async () => {
    const email = "ada-console@example.com";
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/sign-up"));
    await page.getByRole("heading", { level: 1, name: "Create your account" }).waitFor();
    await page.getByRole("textbox", { name: "Email" }).fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    // What had the focus is gone each time, and the focus goes on: no reader of the page is left at its top.
    await page.locator("h1:focus", { hasText: "Check your mail" }).waitFor();
    const code = /by this code: (\S+)/.exec(await mailTo(gateway, email))![1]!;
    await page.goto(at("/verify"));
    await page.getByRole("textbox", { name: "Code" }).fill(code);
    await page.getByRole("button", { name: "Verify" }).click();
    expect(await page.getByRole("textbox", { name: "API key" }).inputValue()).toMatch(/^svc_/);
    await page.locator("h1:focus", { hasText: "Your email is verified" }).waitFor();
    await page.getByRole("link", { name: "Go to Home" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    expect([faults, foreign]).toEqual([[], []]);
    // Nothing that opens the account is kept where scripts read.
    const kept = await page.evaluate<string>("JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie");
    expect(kept).not.toMatch(/svcs?_|csrf/i);
    await close();
  });

  test("the mail's link verifies after a click and leaves its token nowhere", async () => {
    const email = "grace-console@example.com";
    await gateway.request("POST", "/v1/auth/signup", { body: { email, password } });
    const link = /(http\S+#token=\S+)/.exec(await mailTo(gateway, email))![1]!;
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(link.replace(/^https?:\/\/[^/]+/, gateway.url));
    expect(page.url()).not.toContain("token");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("textbox", { name: "API key" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a dialog begins at its first field, a new key at the key, and a sent message leaves the focus where the next is written", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(at("/credit"));
    await page.getByRole("button", { name: "Add credit" }).click();
    await page.locator("input[name=amount]:focus").waitFor();
    await page.goto(at("/keys"));
    await page.getByRole("button", { name: "Create key" }).click();
    await page.locator("input[name=name]:focus").fill("ci");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await page.locator("input[readonly]:focus").waitFor();
    await page.goto(at("/playground"));
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("link", { name: "Receipt" }).waitFor();
    await page.locator("form textarea:focus").waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a new person is led from Home to a model that the signup credit pays for; others are named as refused until credit is added", async () => {
    const account = await gateway.createAccount({ signupCredit: true });
    const { page, faults, close } = await openPerson(chromium.browser, gateway, { account });
    await page.goto(at(""));
    const recent = page.getByRole("region", { name: "Recent requests" });
    const sample = JSON.parse(/-d '(.*)'/.exec((await recent.getByLabel("The first call with curl").textContent()) ?? "")![1]!) as object;
    await recent.getByRole("link", { name: "Try a model" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("link", { name: "Receipt" }).waitFor();
    expect(await page.getByRole("option", { name: "North Chat Large (add credit first)" }).count()).toBe(1);
    expect(await page.getByRole("option", { name: "North Chat Small", exact: true }).count()).toBe(1);
    expect((await gateway.request("POST", "/v1/chat/completions", { key: account.key, body: sample })).status).toBe(200);
    // Where the models can't be read, the first call is there anyway.
    const other = await gateway.createAccount({ deposit: "5" });
    const second = await openPerson(chromium.browser, gateway, { account: other });
    await second.page.route("**/v1/models", (route) => route.fulfill({ status: 404, json: {} }));
    await second.page.goto(at(""));
    await second.page.getByText('"model":"best"').waitFor();
    await second.close();
    await page.goto(at("/models/north/chat-large"));
    await page.getByText("Add credit first").waitFor();
    await page.getByRole("link", { name: "Try in the playground" }).click();
    expect(await page.getByRole("combobox", { name: "Model" }).inputValue()).toBe("north/chat-large");
    expect(faults).toEqual([]);
    await close();
  });

  test("a link that no longer holds gives way to a new code, on the same page", async () => {
    const email = "late-console@example.com";
    await gateway.request("POST", "/v1/auth/signup", { body: { email, password } });
    const before = await mailTo(gateway, email);
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(`${at("/verify")}#token=${"0".repeat(43)}`);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("button", { name: "Send a new code" }).isDisabled()).toBe(true);
    await page.getByRole("textbox", { name: "Email" }).fill(email);
    const refuse = (route: Route) =>
      route.fulfill({ status: 400, json: { error: { code: "invalid_request", message: "No mail today." } } });
    await page.route("**/v1/auth/verify/resend", refuse);
    await page.getByRole("button", { name: "Send a new code" }).click();
    await page.getByRole("alert").getByText("No mail today").waitFor();
    await page.unroute("**/v1/auth/verify/resend");
    await page.getByRole("button", { name: "Send a new code" }).click();
    await page.getByText("A new code is on its way").waitFor();
    const mail = await eventually(() => {
      const text = gateway.mails.findLast(({ to }) => to === email)!.text;
      if (text === before) throw new Error("no new mail");
      return text;
    });
    await page.getByRole("textbox", { name: "Code" }).fill(/by this code: (\S+)/.exec(mail)![1]!);
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByRole("textbox", { name: "API key" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a page behind the session leads to the sign-in and back; a wrong password says so with the request's id", async () => {
    const email = "linus-console@example.com";
    await gateway.request("POST", "/v1/auth/signup", { body: { email, password } });
    const token = /#token=(\S+)/.exec(await mailTo(gateway, email))![1]!;
    await gateway.request("POST", "/v1/auth/verify", { body: { token } });
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/keys"));
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill("not the password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByRole("button", { name: "Copy request id" }).waitFor();
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("button", { name: /^Account:/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("a forgotten password is chosen anew by the mail's link", async () => {
    const account = await gateway.createAccount();
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/sign-in"));
    await page.getByRole("link", { name: "Forgot password?" }).click();
    await page.getByLabel("Email").fill(account.email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByRole("heading", { level: 1, name: "Check your mail" }).waitFor();
    const link = /(http\S+#token=\S+)/.exec(await mailTo(gateway, account.email))![1]!;
    await page.goto(link.replace(/^https?:\/\/[^/]+/, gateway.url));
    await page.getByLabel("New password").fill(password);
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("heading", { level: 1, name: "Your password is changed" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
