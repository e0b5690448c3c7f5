// Signing in at the console with an external provider, a test server in GitHub's place; and what the pages say where sign-up is not open.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath, useBrowser } from "../support/browser.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { type GithubServer, startGithubServer } from "../support/github-server.ts";
import { desktop, keepScreen, openPerson, phone, violationsOf } from "./people.ts";

const markup = `<img src=x onerror="document.title='taken over'">`;

describe.skipIf(chromiumPath === null)("at the console", () => {
  const chromium = useBrowser("external sign-in");
  let github: GithubServer;
  let gateway: Gateway;
  beforeAll(async () => {
    github = await startGithubServer();
    for (const [id, login] of ["octo", "newcomer"].entries())
      github.users.set(login, { id: id + 1, emails: [{ email: `${login}@example.com`, primary: true, verified: true }] });
    gateway = await startGateway({
      env: {
        SVC_SIGNIN_GITHUB_CLIENT_ID: github.clientId,
        SVC_SIGNIN_GITHUB_CLIENT_SECRET: github.clientSecret,
        SVC_SIGNIN_GITHUB_URL: github.url,
        SVC_SIGNIN_OUR_COMPANY_CLIENT_ID: "gateway",
        SVC_SIGNIN_OUR_COMPANY_ISSUER: "http://127.0.0.1:9",
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await github?.close();
  });
  const at = (path: string) => `${gateway.url}/console${path}`;
  /** What the provider's page does when a person agrees, or declines. */
  const answers = (page: Page, login: string | null) =>
    page.route(`${github.url}/login/oauth/authorize*`, (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const back = login === null ? { error: "access_denied", state: asked.get("state")! } : github.agree(route.request().url(), login);
      return route.fulfill({ status: 302, headers: { location: `${asked.get("redirect_uri")!}?${new URLSearchParams(back).toString()}` } });
    });

  test("a person continues with a provider, reaches the page that was asked for, and leaves neither code nor state behind", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await answers(page, "octo");
    await page.goto(at("/limits"));
    await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    await page.getByRole("button", { name: "Continue with Our company" }).waitFor();
    await page.getByRole("button", { name: "Continue with GitHub" }).click();
    await page.getByRole("heading", { level: 1, name: "Limits" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toMatch(/code-|svco_|svcs_|limits/);
    await page.goBack();
    expect(page.url()).not.toMatch(/code=|state=/);
    expect(faults).toEqual([]);
    await close();
  });

  test("a new person gets an account from the sign-up page", async () => {
    const { page, close } = await openPerson(chromium.browser, gateway);
    await answers(page, "newcomer");
    await page.goto(at("/sign-up"));
    await page.getByRole("button", { name: "Continue with GitHub" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.getByText("newcomer@example.com").first().waitFor();
    await close();
  });

  test("a person without a password signs in with the provider again where a change asks, and comes back to the page", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await answers(page, "octo");
    await page.goto(at("/sign-in"));
    await page.getByRole("button", { name: "Continue with GitHub" }).click();
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await gateway.context.db.pool.query(
      "update session set created_at = now() - interval '1 hour' where account_id = (select id from account where email = 'octo@example.com')",
    );
    await page.goto(at("/settings"));
    const begin = async () => {
      await page.getByRole("region", { name: "Security" }).getByRole("button", { name: "Set up" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Continue", exact: true }).click();
    };
    await begin();
    await page.getByText("No password?").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Continue with GitHub" }).click();
    await page.waitForURL(at("/settings"));
    await begin();
    await page.getByRole("dialog").getByRole("textbox", { name: "Secret" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  test("who declines, comes back twice or comes by another's link is told, and can begin again", async () => {
    const { page, faults, close } = await openPerson(chromium.browser, gateway);
    await answers(page, null);
    await page.goto(at("/sign-in"));
    await page.getByRole("button", { name: "Continue with GitHub" }).click();
    await page.getByText("You did not agree on the provider's page").waitFor();
    const body = { redirect_uri: at("/sign-in/github") };
    const started = await gateway.request("POST", "/v1/auth/signin/github/start", { body });
    const { code, state } = github.agree(started.json.authorization_url as string, "octo");
    await page.goto(at(`/sign-in/github?code=${code}&state=${state}`));
    await page.getByRole("alert").getByRole("link", { name: "invalid_token" }).waitFor();
    expect(new URL(page.url()).search).toBe("");
    await page.goto(at(`/sign-in/github?error=${encodeURIComponent(markup)}&state=x`));
    await page.getByText("The provider did not sign you in.").waitFor();
    expect(await page.locator("main img").count()).toBe(0);
    await page.getByRole("link", { name: "Back to sign-in" }).click();
    await page.getByLabel("Password").waitFor();
    await page.getByRole("button", { name: "Continue with Our company" }).click();
    await page.getByRole("alert").getByRole("link", { name: "overloaded" }).waitFor({ timeout: 30_000 });
    expect(faults).toEqual([]);
    await close();
  });

  test.each([
    ["desktop", "light", desktop],
    ["desktop", "dark", desktop],
    ["phone", "light", phone],
    ["phone", "dark", phone],
  ] as const)("%s, %s: the pages with providers hold", async (device, colorScheme, viewport) => {
    const { page, faults, foreign, close } = await openPerson(chromium.browser, gateway, { viewport, colorScheme });
    for (const path of ["/sign-in", "/sign-up", "/sign-in/github"]) {
      await page.goto(at(path));
      await page.getByRole("button", { name: "Continue with GitHub" }).waitFor();
      expect([path, await violationsOf(page), faults, foreign]).toEqual([path, [], [], []]);
      await keepScreen(page, `${device}-${colorScheme}${path.replaceAll("/", "-")}-providers`);
    }
    await close();
  });

  test("SVC_NAME and SVC_LOGO are the console's title and mark", async () => {
    const other = await startGateway({ env: { SVC_NAME: "Acme <AI>", SVC_LOGO: "src/docs/assets/icon.svg" } });
    const { page, faults, foreign, close } = await openPerson(chromium.browser, other, { viewport: phone });
    await page.goto(`${other.url}/console/sign-up`);
    await page.getByRole("heading", { level: 1, name: "Create your account" }).waitFor();
    await page.getByText("Acme <AI>", { exact: true }).waitFor();
    expect(await page.title()).toBe("Create your account · Acme <AI>");
    const logo = page.locator('header img[src*="/console/assets/logo-"]');
    expect(await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBeGreaterThan(0);
    expect([await violationsOf(page), faults, foreign]).toEqual([[], [], []]);
    await keepScreen(page, "phone-named");
    await close();
    await other.stop();
  });

  test.each([
    ["closed", {}, "The gateway's operator creates accounts here."],
    ["invite", {}, "Accounts are by invitation"],
    ["open", { SVC_SIGNUP_DOMAINS: "example.com,example.org" }, "Only addresses at example.com, example.org can sign up."],
    ["open", { SVC_CAPTCHA_VERIFY_URL: "https://captcha.example/", SVC_CAPTCHA_SECRET: "x" }, "This gateway asks for a CAPTCHA"],
  ])("where sign-up is %s with %j, the page says so before anything is typed", async (mode, env, said) => {
    const other = await startGateway({ env: { SVC_SIGNUP: mode, ...env } });
    const { page, faults, close } = await openPerson(chromium.browser, other);
    await page.goto(`${other.url}/console/sign-up`);
    await page.getByRole("heading", { level: 1, name: "Create your account" }).waitFor();
    await page.getByText(said).waitFor();
    expect(await page.getByRole("button", { name: "Create account" }).count()).toBe(mode === "closed" ? 0 : 1);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
    await other.stop();
  });
});
