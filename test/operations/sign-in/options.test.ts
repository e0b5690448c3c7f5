// GET /v1/auth/options over HTTP. Its rate limit is tested in every-rate.test.ts.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let plain: Gateway;
let full: Gateway;
beforeAll(async () => {
  plain = await startGateway();
  full = await startGateway({
    env: {
      ...{ SVC_SIGNIN_GITHUB_CLIENT_ID: "id-of-github", SVC_SIGNIN_GITHUB_CLIENT_SECRET: "secret-of-github" },
      ...{ SVC_SIGNIN_GOOGLE_CLIENT_ID: "id-of-google", SVC_SIGNIN_GOOGLE_ISSUER: "https://issuer.example" },
      ...{ SVC_SIGNIN_OUR_COMPANY_CLIENT_ID: "id", SVC_SIGNIN_OUR_COMPANY_ISSUER: "https://issuer.example" },
      ...{ SVC_SIGNUP: "invite", SVC_SIGNUP_DOMAINS: "example.com,example.org" },
      ...{ SVC_CAPTCHA_VERIFY_URL: "https://captcha.example/siteverify", SVC_CAPTCHA_SECRET: "secret-of-captcha" },
      ...{ SVC_CAPTCHA_WIDGET: "turnstile:0x4AAA_site-key", SVC_NOTICE: "Maintenance on Sunday" },
    },
  });
});
afterAll(async () => {
  await plain?.stop();
  await full?.stop();
});

test("200 without a key: by default no provider, open sign-up and no CAPTCHA; caches keep it for a minute", async () => {
  const { status, headers, json } = await plain.request("GET", "/v1/auth/options");
  expect([status, headers["cache-control"]]).toEqual([200, "public, max-age=60"]);
  expect(json).toEqual({
    object: "auth.options",
    providers: [],
    sign_up: "open",
    sign_up_domains: null,
    captcha_required: false,
    captcha_widget: null,
    notice: null,
  });
});

test("200: the providers by name as buttons say it, who may sign up, and the CAPTCHA; no id, secret or address of them", async () => {
  const { json, text } = await full.request("GET", "/v1/auth/options");
  expect(json).toEqual({
    object: "auth.options",
    providers: [
      { name: "github", display_name: "GitHub", id_tokens: false },
      { name: "google", display_name: "Google", id_tokens: true },
      { name: "our-company", display_name: "Our company", id_tokens: true },
    ],
    sign_up: "invite",
    sign_up_domains: ["example.com", "example.org"],
    captcha_required: true,
    captcha_widget: { service: "turnstile", site_key: "0x4AAA_site-key" },
    notice: "Maintenance on Sunday",
  });
  expect(text).not.toMatch(/secret|id-of|issuer|siteverify/);
});
