// The signup credit is given once for each mailbox: however its address is written, whichever way the account is made, however many come at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import { codeOf, password, type SignInGateway, startSignInGateway, tokenIn } from "../../support/sign-in.ts";

let provider: OpenidProvider;
let gateway: SignInGateway;
beforeAll(async () => {
  provider = await startOpenidProvider();
  gateway = await startSignInGateway({
    SVC_SIGNIN_IDP_CLIENT_ID: clientId,
    SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret,
    SVC_SIGNIN_IDP_ISSUER: provider.issuer,
  });
});
afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
  await provider.close();
});

const creditOf = async (email: string) => (await gateway.signUpVerified(email)).json.credit_granted_usd as number;
const given = async (emails: string[]) =>
  (
    await gateway.rows(
      `select sum(e.amount)::bigint as sum from ledger_entry e join account a on a.id = e.account_id
       where e.kind = 'signup_credit' and a.email = any($1)`,
      [emails],
    )
  )[0]!["sum"];

/** At a provider that has verified the address. */
async function external(subject: string, email: string) {
  const { json } = await gateway.request("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri } });
  const nowSec = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: clientId, sub: subject, iat: nowSec, exp: nowSec + 300, nonce: json.nonce };
  const body = { id_token: provider.token({ ...claims, email, email_verified: true }), state: json.state };
  return gateway.request("POST", "/v1/auth/signin/idp", { body });
}

describe("one mailbox, one credit of 0.50 USD; the account is made anyway", () => {
  test.each<[string, string[]]>([
    [
      "a tag after a plus sign, at any domain",
      ["alice@example.org", "alice+1@example.org", "alice+1+2@example.org", "ALICE+x@EXAMPLE.org"],
    ],
    ["dots at Gmail, and its other name", ["al.ice@gmail.com", "alice@gmail.com", "a.l.i.c.e+tag@googlemail.com", "Alice@GoogleMail.com"]],
    ["the tagged address first", ["bob+first@example.org", "bob@example.org"]],
  ])("%s", async (_, emails) => {
    const credits: number[] = [];
    for (const email of emails) credits.push(await creditOf(email));
    expect(credits).toEqual([0.5, ...emails.slice(1).map(() => 0)]);
    expect(await given(emails)).toBe(50_000_000n);
    for (const email of emails) expect((await gateway.signIn(email)).status).toBe(200);
  });

  test("dots at other domains are other mailboxes, and so are names that begin with a plus sign", async () => {
    const emails = ["d.ora@example.org", "dora@example.org", "+dora@example.org", "dora@mail.example.org"];
    expect(await Promise.all(emails.map(creditOf))).toEqual([0.5, 0.5, 0.5, 0.5]);
  });

  test("twenty addresses of one mailbox verified at once: one is given it", async () => {
    const emails = Array.from({ length: 20 }, (_, at) => `crowd+${at}@example.org`);
    await Promise.all(emails.map((email) => gateway.signUp(email)));
    const tokens = await Promise.all(emails.map(async (email) => tokenIn(await gateway.mailTo(email))));
    const replies = await Promise.all(tokens.map((token) => gateway.post("/v1/auth/verify", { token })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    expect(replies.map(({ json }) => json.credit_granted_usd as number).sort()).toEqual([...emails.slice(1).map(() => 0), 0.5]);
    expect(await given(emails)).toBe(50_000_000n);
  });

  test("an external provider's addresses count as well", async () => {
    const balanceOf = async (subject: string, email: string) => {
      const { json: session } = await external(subject, email);
      return (await gateway.request("GET", "/v1/credits/balance", { key: session.session_token })).json.balance as number;
    };
    expect(await creditOf("eve+1@gmail.com")).toBe(0.5);
    expect(await balanceOf("eve-2", "e.ve@gmail.com")).toBe(0);
    expect(await balanceOf("finn-1", "finn@example.org")).toBe(0.5);
    expect(await balanceOf("finn-2", "finn+2@example.org")).toBe(0);
    expect(await creditOf("finn+3@example.org")).toBe(0);
  });
});

describe("400 invalid_parameter names email: its domain can't be one of the public DNS", () => {
  test.each([
    "a@b",
    "a@localhost",
    "a@-b.com",
    "a@b-.com",
    "a@example.com.",
    "a@.example.com",
    "a@example..com",
    "a@127.0.0.1",
    "a@[127.0.0.1]",
    "a@example.1",
    `a@${"b".repeat(64)}.com`,
    `${"a".repeat(65)}@example.com`,
    `a@${"b.".repeat(130)}com`,
  ])("%s", async (email) => {
    const reply = await gateway.post("/v1/auth/signup", { email, password });
    expect(codeOf(reply)).toEqual([400, "invalid_parameter", "email"]);
    expect(await gateway.rows("select 1 from account where email = $1", [email])).toEqual([]);
  });

  test.each(["a@b.co", "a@xn--bcher-kva.example", "a@1.example.com", `${"a".repeat(64)}@${"b".repeat(63)}.com`, "a@x.xn--p1ai"])(
    "%s signs up",
    async (email) => {
      expect((await gateway.signUp(email)).status).toBe(201);
    },
  );

  test.each(["a@b", "a@localhost", "a@-b.com", "a@example.com.", "a@127.0.0.1", `${"a".repeat(65)}@example.com`])(
    "%s by an external provider: 403 signup_closed names email, and no account or credit is made",
    async (email) => {
      const reply = await external(email, email);
      expect(codeOf(reply)).toEqual([403, "signup_closed", "email"]);
      expect(reply.json.error.message).toContain("an address such as ada@example.com");
      expect(await gateway.rows("select 1 from account where email = $1", [email])).toEqual([]);
    },
  );

  test("a domain of two labels that only a company's own network knows signs up by its provider, with the credit", async () => {
    const { json } = await external("internal", "a@corp.local");
    expect((await gateway.request("GET", "/v1/credits/balance", { key: json.session_token })).json.balance).toBe(0.5);
  });

  test("an account that the operator made there signs in by the provider, and stays linked whatever its address becomes", async () => {
    const { id } = await gateway.verifiedPerson();
    await gateway.rows("update account set email = 'ada@intranet', email_norm = 'ada@intranet' where id = $1", [id]);
    expect((await external("ada", "ada@intranet")).status).toBe(200);
    expect((await external("ada", "ada@elsewhere")).json.user.email).toBe("ada@intranet");
  });

  test("an account that was made with such an address before signs in as ever", async () => {
    const person = await gateway.verifiedPerson();
    await gateway.rows("update account set email = 'old@intranet', email_norm = 'old@intranet' where id = $1", [person.id]);
    expect((await gateway.signIn("old@intranet")).status).toBe(200);
  });
});

describe("SVC_SIGNUP_CREDIT", () => {
  test.each([
    ["1.25", 1.25],
    ["0", 0],
    ["0.00000001", 1e-8],
  ])("%s: so much is given at verification", async (SVC_SIGNUP_CREDIT, credit) => {
    const other = await startSignInGateway({ SVC_SIGNUP_CREDIT });
    try {
      const verified = await other.signUpVerified("credit@example.com");
      expect(verified.json.credit_granted_usd).toBe(credit);
      expect((await other.request("GET", "/v1/credits/balance", { key: verified.json.api_key })).json.balance).toBe(credit);
      expect(await other.rows("select amount from ledger_entry")).toHaveLength(credit === 0 ? 0 : 1);
    } finally {
      expect((await other.audit()).mismatches).toEqual([]);
      await other.stop();
    }
  });
});
