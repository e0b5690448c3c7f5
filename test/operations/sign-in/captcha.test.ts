// SVC_DISPOSABLE_DOMAINS and SVC_CAPTCHA_…: who is kept from signing up, and that nobody gets in while the CAPTCHA's service is away.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { codeOf, password, type SignInGateway, startSignInGateway } from "../../support/sign-in.ts";

/** A service in Turnstile's place: it knows one secret, and tokens that begin with `right`. */
let service: Server;
let answer: { status: number; body: string } | null = null;
const asked: Record<string, string>[] = [];
let gateway: SignInGateway;
beforeAll(async () => {
  service = createServer((request, response) => {
    void text(request).then((form) => {
      const sent = Object.fromEntries(new URLSearchParams(form));
      asked.push(sent);
      const success = sent["secret"] === "sesame" && sent["response"]!.startsWith("right");
      const codes = sent["secret"] === "sesame" ? ["invalid-input-response"] : ["invalid-input-secret"];
      const { status, body } = answer ?? { status: 200, body: JSON.stringify({ success, "error-codes": success ? [] : codes }) };
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const verifyUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/siteverify`;
  gateway = await startSignInGateway({ SVC_CAPTCHA_VERIFY_URL: verifyUrl, SVC_CAPTCHA_SECRET: "sesame" });
});
afterAll(async () => {
  await gateway.stop();
  service.close();
});

const signUp = (token?: string, at = gateway) =>
  at.post("/v1/auth/signup", { email: at.newEmail(), password, ...(token === undefined ? {} : { captcha_token: token }) });
const accounts = async () => (await gateway.rows("select 1 from account")).length;

describe("SVC_CAPTCHA_VERIFY_URL", () => {
  test("201 with a right token; the service is told the secret, the token and the client's address", async () => {
    expect((await signUp("right-1")).status).toBe(201);
    expect(asked.at(-1)).toEqual({ secret: "sesame", response: "right-1", remoteip: expect.stringMatching(/^10\.0\.0\.\d+$/) });
  });

  test("400 captcha_failed without a token and with a wrong one; no account, and without one nothing is asked", async () => {
    const before = [await accounts(), asked.length];
    for (const token of [undefined, ""]) expect(codeOf(await signUp(token))).toEqual([400, "captcha_failed", "captcha_token"]);
    expect([await accounts(), asked.length]).toEqual(before);
    expect(codeOf(await signUp("wrong"))).toEqual([400, "captcha_failed", "captcha_token"]);
    expect(await accounts()).toBe(before[0]);
  });

  test.each([
    ["a status of its own", { status: 500, body: "{}" }],
    ["no JSON", { status: 200, body: "<html>" }],
    ["no verdict", { status: 200, body: "{}" }],
    ["an endless answer", { status: 200, body: "x".repeat(200_000) }],
    ["that it does not know the secret", { status: 200, body: '{"success":false,"error-codes":["invalid-input-secret"]}' }],
  ])("503 overloaded while the service answers %s: nobody gets in", async (_what, fault) => {
    answer = fault;
    const before = await accounts();
    const reply = await signUp("right-2");
    answer = null;
    expect(codeOf(reply).slice(0, 2)).toEqual([503, "overloaded"]);
    expect(await accounts()).toBe(before);
  });

  test("both settings or none, an address, and a widget that is known", () => {
    for (const env of [{ SVC_CAPTCHA_VERIFY_URL: "https://a.example" }, { SVC_CAPTCHA_SECRET: "x" }])
      expect(() => readConfig(env)).toThrow("must be set together");
    expect(() => readConfig({ SVC_CAPTCHA_VERIFY_URL: "a", SVC_CAPTCHA_SECRET: "x" })).toThrow("must be an address");
    const both = { SVC_CAPTCHA_VERIFY_URL: "https://a.example", SVC_CAPTCHA_SECRET: "x" };
    for (const widget of ["turnstile", "turnstile:", "other:key", "turnstile:a b", "turnstile:a;script-src *"])
      expect(() => readConfig({ ...both, SVC_CAPTCHA_WIDGET: widget })).toThrow("must be turnstile:SITEKEY or hcaptcha:SITEKEY");
    expect(() => readConfig({ SVC_CAPTCHA_WIDGET: "turnstile:key" })).toThrow("must be set together");
    expect(readConfig(both).signUp.captcha!.widget).toBeNull();
  });
});

describe("SVC_DISPOSABLE_DOMAINS", () => {
  test("403 signup_closed for an address there or below it; others sign up", async () => {
    const other = await startSignInGateway({ SVC_DISPOSABLE_DOMAINS: "Throw.example, mail.test" });
    try {
      const status = async (email: string) => codeOf(await other.post("/v1/auth/signup", { email, password })).slice(0, 2);
      for (const email of ["a@throw.example", "a@x.y.THROW.example", "a@mail.test"])
        expect(await status(email)).toEqual([403, "signup_closed"]);
      for (const email of ["a@notthrow.example", "a@example.com"]) expect((await status(email))[0]).toBe(201);
    } finally {
      await other.stop();
    }
  });

  test("a file holds one a line, with comments; what is no domain, and a file that is not there, stop the start", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-domains-"));
    try {
      const file = join(folder, "list.txt");
      writeFileSync(file, "# disposable\nthrow.example\n\nMAIL.test # another\r\n");
      const { disposable } = readConfig({ SVC_DISPOSABLE_DOMAINS: file }).signUp;
      expect([...disposable]).toEqual(["throw.example", "mail.test"]);
      writeFileSync(file, "no domain\n");
      expect(() => readConfig({ SVC_DISPOSABLE_DOMAINS: file })).toThrow('"no domain" is not a domain');
      expect(() => readConfig({ SVC_DISPOSABLE_DOMAINS: join(folder, "none") })).toThrow("SVC_DISPOSABLE_DOMAINS can't be read");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
