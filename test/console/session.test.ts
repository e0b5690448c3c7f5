// A session that ends or changes while somebody works.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { mailTo, openPerson, type Person } from "./people.ts";

const password = "correct horse battery";

describe.skipIf(chromiumPath === null)("a session", () => {
  const chromium = useBrowser("the console's sessions");
  let gateway: Gateway;
  beforeAll(async () => void (gateway = await startGateway()));
  afterAll(() => gateway?.stop());
  const at = (path: string) => `${gateway.url}/console${path}`;
  const signUp = async (email: string) => {
    await gateway.request("POST", "/v1/auth/signup", { body: { email, password } });
    const token = /#token=(\S+)/.exec(await mailTo(gateway, email))![1]!;
    await gateway.request("POST", "/v1/auth/verify", { body: { token } });
    await gateway.context.db.pool.query("delete from session");
  };
  const signIn = async (page: Person["page"], email: string) => {
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  test("that ends in the middle of work leads to the sign-in and back to the same place, and what was being written is still there", async () => {
    const email = "mid-work@example.com";
    await signUp(email);
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/playground"));
    await signIn(page, email);
    await page.getByRole("textbox", { name: "Message" }).fill("Half a thought");
    await gateway.context.db.pool.query("delete from session");
    await page.getByRole("link", { name: "API keys" }).click();
    await signIn(page, email);
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("link", { name: "Playground" }).click();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("Half a thought");
    // A change that meets the end does so, too.
    await page.goto(at("/keys?create=1"));
    await page.getByRole("dialog").getByLabel("Name").fill("late");
    // Else what the page still reads meets the end before the change does.
    await page.waitForLoadState("networkidle");
    await gateway.context.db.pool.query("delete from session");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    await signIn(page, email);
    await page.getByRole("dialog", { name: "Create key" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("of another person in the same tab begins with nothing of the first; signing out does, too", async () => {
    await signUp("first@example.com");
    await signUp("second@example.com");
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/playground"));
    await signIn(page, "first@example.com");
    await page.getByRole("textbox", { name: "Message" }).fill("The first person's");
    await gateway.context.db.pool.query("delete from session");
    await page.getByRole("link", { name: "API keys" }).click();
    await signIn(page, "second@example.com");
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.getByRole("link", { name: "Playground" }).click();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    await page.getByRole("textbox", { name: "Message" }).fill("The second person's");
    await page.getByRole("button", { name: /^Account:/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await signIn(page, "first@example.com");
    await page.getByRole("link", { name: "Playground" }).click();
    expect(await page.getByRole("textbox", { name: "Message" }).inputValue()).toBe("");
    expect(faults).toEqual([]);
    await close();
  });

  test("that another tab replaced goes on here: a change is made once more with the new token", async () => {
    const email = "two-tabs@example.com";
    await signUp(email);
    const { page, context, faults, close } = await openPerson(chromium.browser, gateway);
    await page.goto(at("/keys"));
    await signIn(page, email);
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    const second = await context.newPage();
    await second.goto(at("/sign-in"));
    await signIn(second, email);
    await second.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("from the first tab");
    await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
    expect(await page.getByRole("textbox", { name: "API key" }).inputValue()).toMatch(/^svc_/);
    expect(faults).toEqual([]);
    await close();
  });
});
