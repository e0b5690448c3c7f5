// SVC_SIGNUP, SVC_SIGNUP_DOMAINS and SVC_DISPOSABLE_DOMAINS: who may sign up, on every way to an account, without revealing which addresses have one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccount } from "../../../src/accounts/admin.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import type { TestReply } from "../../support/gateway.ts";
import { codeIn, codeOf, password, shown, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let provider: OpenidProvider;
beforeAll(async () => void (provider = await startOpenidProvider()));
afterAll(() => provider.close());

async function withSettings(env: Record<string, string>, work: (gateway: SignInGateway) => Promise<void>): Promise<void> {
  const idp = { SVC_SIGNIN_IDP_CLIENT_ID: clientId, SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret, SVC_SIGNIN_IDP_ISSUER: provider.issuer };
  const gateway = await startSignInGateway({ ...idp, ...env });
  try {
    await work(gateway);
    expect((await gateway.audit()).mismatches).toEqual([]);
  } finally {
    await gateway.stop();
  }
}

async function external(gateway: SignInGateway, email: string): Promise<TestReply> {
  const { json } = await gateway.request("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri } });
  const nowSec = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: clientId, sub: email, iat: nowSec, exp: nowSec + 300, nonce: json.nonce };
  const body = { id_token: provider.token({ ...claims, email, email_verified: true }), state: json.state };
  return gateway.request("POST", "/v1/auth/signin/idp", { body });
}

/** As `svc account create --email` makes it. */
const make = (gateway: SignInGateway, email: string, verified = false) =>
  createAccount(gateway.context.db, { email, verified, at: gateway.context.clock() });
const accounts = async (gateway: SignInGateway) => (await gateway.rows("select email from account order by id")).map(({ email }) => email);
const closed = [403, "signup_closed", "email"];

describe("SVC_SIGNUP=closed", () => {
  test("403 signup_closed for every address alike, by password and by provider; no account, no mail", () =>
    withSettings({ SVC_SIGNUP: "closed" }, async (gateway) => {
      await make(gateway, "person-known@example.com", true);
      await make(gateway, "person-waits@example.com");
      const replies = await Promise.all(["known", "waits", "other"].map((name) => gateway.signUp(`person-${name}@example.com`)));
      expect(replies.map(codeOf)).toEqual([closed, closed, closed]);
      expect(new Set(replies.map((reply) => shown(reply).replace(/person-\w+@/g, ""))).size).toBe(1);
      expect(codeOf(await external(gateway, "person-new@example.com"))).toEqual(closed);
      expect(codeOf(await external(gateway, "person-waits@example.com"))).toEqual(closed);
      expect(await accounts(gateway)).toEqual(["person-known@example.com", "person-waits@example.com"]);
      expect(gateway.mails).toEqual([]);
    }));

  test("an account that the operator made verified: a password by mail, signing in, and by provider", () =>
    withSettings({ SVC_SIGNUP: "closed" }, async (gateway) => {
      await make(gateway, "person@example.com", true);
      await gateway.post("/v1/auth/password/forgot", { email: "person@example.com" });
      const token = tokenIn(await gateway.mailTo("person@example.com"));
      expect((await gateway.post("/v1/auth/password/reset", { token, password })).status).toBe(200);
      expect((await gateway.signIn("person@example.com")).status).toBe(200);
      expect((await external(gateway, "person@example.com")).status).toBe(200);
    }));

  test("mails of sign-ups from before: neither answered nor sent again", () =>
    withSettings({}, async (gateway) => {
      await gateway.signUp("early@example.com");
      const { text } = await gateway.mailTo("early@example.com");
      gateway.context.config.signUp = { ...gateway.context.config.signUp, mode: "closed" }; // as after a restart
      expect(codeOf(await gateway.post("/v1/auth/verify", { token: tokenIn({ to: "", subject: "", text }) }))).toEqual(closed);
      const code = /code: (\d{6})\n/.exec(text)![1]!;
      expect(codeOf(await gateway.post("/v1/auth/verify", { email: "early@example.com", code }))).toEqual(closed);
      for (const path of ["/v1/auth/verify/resend", "/v1/auth/password/forgot"])
        expect((await gateway.post(path, { email: "early@example.com" })).status).toBe(202);
      expect(gateway.mails).toHaveLength(1);
      gateway.context.config.signUp = { ...gateway.context.config.signUp, mode: "open" };
      expect((await gateway.post("/v1/auth/verify", { email: "early@example.com", code })).status).toBe(200); // it was not used up
    }));
});

describe("SVC_SIGNUP=invite", () => {
  test("an address that the operator made an account for signs up, verifies and has its credit", () =>
    withSettings({ SVC_SIGNUP: "invite" }, async (gateway) => {
      await make(gateway, "guest@example.com");
      const verified = await gateway.signUpVerified("guest@example.com");
      expect(verified.json.credit_granted_usd).toBe(0.5);
      expect((await gateway.signIn("guest@example.com")).status).toBe(200);
      await make(gateway, "second@example.com");
      expect((await external(gateway, "second@example.com")).status).toBe(200);
    }));

  test("any other address gets the same reply and no mail, and no account; its provider's sign-in 403 signup_closed", () =>
    withSettings({ SVC_SIGNUP: "invite" }, async (gateway) => {
      await make(gateway, "person-0001@example.com");
      await make(gateway, "person-0002@example.com", true);
      const replies = [];
      for (const nth of [1, 2, 3]) replies.push(await gateway.signUp(`person-000${nth}@example.com`));
      expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(new Set(replies.map(shown)).size).toBe(1);
      await expect.poll(() => gateway.mails.map(({ to }) => to)).toEqual(["person-0001@example.com", "person-0002@example.com"]);
      expect(codeOf(await external(gateway, "person-0003@example.com"))).toEqual(closed);
      expect(await accounts(gateway)).toEqual(["person-0001@example.com", "person-0002@example.com"]);
    }));
});

describe("SVC_SIGNUP_DOMAINS", () => {
  test("addresses of these domains sign up, in any case; others 403 signup_closed by every way, with the domains named", () =>
    withSettings({ SVC_SIGNUP_DOMAINS: "Example.com, team.example.org" }, async (gateway) => {
      expect((await gateway.signUpVerified("ada@EXAMPLE.com")).status).toBe(200);
      expect((await gateway.signUp("bob@team.example.org")).status).toBe(201);
      for (const email of ["eve@example.org", "eve@sub.example.com", "eve@example.com.evil.net", "eve@notexample.com"]) {
        const reply = await gateway.signUp(email);
        expect(codeOf(reply)).toEqual(closed);
        expect(reply.json.error.message).toContain("example.com, team.example.org");
        expect(codeOf(await external(gateway, email))).toEqual(closed);
      }
      expect((await external(gateway, "carl@example.com")).status).toBe(200);
    }));

  test("a verified account of another domain signs in as ever", () =>
    withSettings({ SVC_SIGNUP_DOMAINS: "example.org" }, async (gateway) => {
      await make(gateway, "person@example.com", true);
      expect((await external(gateway, "person@example.com")).status).toBe(200);
    }));
});

describe("SVC_DISPOSABLE_DOMAINS", () => {
  test("403 signup_closed by an external provider as by password, below a domain too; no account; others have theirs", () =>
    withSettings({ SVC_DISPOSABLE_DOMAINS: "throw.example" }, async (gateway) => {
      await make(gateway, "waits@throw.example");
      for (const email of ["eve@throw.example", "eve@mail.THROW.example", "waits@throw.example"]) {
        const [byPassword, byProvider] = [await gateway.signUp(email), await external(gateway, email)];
        expect([codeOf(byPassword), codeOf(byProvider)]).toEqual([closed, closed]);
        expect(byProvider.json.error.message).toBe(byPassword.json.error.message);
      }
      expect((await external(gateway, "eve@notthrow.example")).status).toBe(200);
      expect(await accounts(gateway)).toEqual(["waits@throw.example", "eve@notthrow.example"]);
    }));

  test("a dot at the end of the address's domain, as a provider may write it, leads around neither list", () =>
    withSettings({ SVC_DISPOSABLE_DOMAINS: "throw.example", SVC_SIGNUP_DOMAINS: "example.com,throw.example" }, async (gateway) => {
      for (const email of ["eve@throw.example.", "eve@other.example.", "ada@example.com."]) await make(gateway, email);
      const messageOf = async (email: string) => (await external(gateway, email)).json.error.message as string;
      expect(await messageOf("eve@throw.example.")).toContain("disposable");
      expect(await messageOf("eve@other.example.")).toContain("example.com, throw.example");
      expect((await external(gateway, "ada@example.com.")).status).toBe(200);
    }));

  test("a verified account there signs in as ever", () =>
    withSettings({ SVC_DISPOSABLE_DOMAINS: "throw.example" }, async (gateway) => {
      await make(gateway, "person@throw.example", true);
      expect((await external(gateway, "person@throw.example")).status).toBe(200);
    }));
});

describe("a sign-up that waits for its mail while the settings change", () => {
  test.each([
    ["SVC_SIGNUP_DOMAINS", { domains: ["example.org"] }],
    ["SVC_DISPOSABLE_DOMAINS", { disposable: new Set(["example.com"]) }],
  ])("403 signup_closed at verification once %s forbids it, by link and by code; neither is used up", (_, change) =>
    withSettings({}, async (gateway) => {
      const email = "early@example.com";
      await gateway.signUp(email);
      const mail = await gateway.mailTo(email);
      const answers = [{ token: tokenIn(mail) }, { email, code: codeIn(mail) }];
      const { config } = gateway.context;
      const { signUp } = config;
      config.signUp = { ...signUp, ...change }; // as after a restart
      for (const answer of answers) expect(codeOf(await gateway.post("/v1/auth/verify", answer))).toEqual(closed);
      expect((await gateway.post("/v1/auth/verify/resend", { email })).status).toBe(202);
      expect(gateway.mails).toHaveLength(1);
      expect(await gateway.rows("select 1 from account where email_verified_at is not null")).toEqual([]);
      config.signUp = signUp;
      expect((await gateway.post("/v1/auth/verify", answers[1]!)).status).toBe(200);
    }),
  );
});
