// Which account an external sign-in leads to: new, known, linked or reclaimed; a single one, however many sign-ins come at once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { inTransaction } from "../../../src/db/connect.ts";
import { clientId, clientSecret, type OpenidProvider, redirectUri, startOpenidProvider } from "../../support/openid-provider.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";
import { untilWaiting } from "../../support/locks.ts";

let provider: OpenidProvider;
let gateway: Gateway;

beforeAll(async () => {
  provider = await startOpenidProvider();
  gateway = await startGateway({
    env: {
      SVC_SIGNIN_IDP_CLIENT_ID: clientId,
      SVC_SIGNIN_IDP_CLIENT_SECRET: clientSecret,
      SVC_SIGNIN_IDP_ISSUER: provider.issuer,
    },
  });
});

afterAll(async () => {
  expect((await gateway.audit()).mismatches).toEqual([]);
  await gateway.stop();
  await provider.close();
});

/** A token that the provider has issued to this user, and the sign-in that it is for. */
async function proof(subject: string, email: string) {
  const { json } = await gateway.request("POST", "/v1/auth/signin/idp/start", { body: { redirect_uri: redirectUri } });
  const nowSec = Math.floor(Date.now() / 1000);
  const claims = { iss: provider.issuer, aud: clientId, sub: subject, iat: nowSec, exp: nowSec + 300, nonce: json.nonce };
  return { id_token: provider.token({ ...claims, email, email_verified: true }), state: json.state as string };
}

const finish = (body: object) => gateway.request("POST", "/v1/auth/signin/idp", { body });
const signIn = async (subject: string, email: string) => finish(await proof(subject, email));

async function accountAt(email: string): Promise<bigint> {
  const { rows } = await gateway.context.db.pool.query("select id from account where email_norm = $1", [email]);
  expect(rows).toHaveLength(1);
  return rows[0].id;
}

const entries = async (accountId: bigint) =>
  (await gateway.context.db.pool.query("select kind, amount from ledger_entry where account_id = $1", [accountId])).rows;

const signupCredit = { kind: "signup_credit", amount: 50_000_000n };

describe("a new identity", () => {
  test("200: a new verified account with the signup credit, and without a key, which its user would never see", async () => {
    const reply = await signIn("new", "new@example.com");
    expect(reply.json.user).toMatchObject({ email: "new@example.com", email_verified: true, tier: 0 });
    const accountId = await accountAt("new@example.com");
    expect(await entries(accountId)).toEqual([signupCredit]);
    const balance = await gateway.request("GET", "/v1/credits/balance", { key: reply.json.session_token });
    expect(balance.json).toMatchObject({ balance: 0.5 });
    expect((await gateway.context.db.pool.query("select 1 from api_key where account_id = $1", [accountId])).rowCount).toBe(0);
  });

  test("200: ten at once make one account with one identity and one credit", async () => {
    const proofs = await Promise.all(Array.from({ length: 10 }, () => proof("ten", "ten@example.com")));
    const replies = await Promise.all(proofs.map(finish));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(new Set(replies.map(({ json }) => json.user.id)).size).toBe(1);
    expect(await entries(await accountAt("ten@example.com"))).toEqual([signupCredit]);
    expect((await gateway.context.db.pool.query("select 1 from identity where subject = 'ten'")).rowCount).toBe(1);
  });

  test("200: ten identities with one address at once are ten ways into one account", async () => {
    const proofs = await Promise.all(Array.from({ length: 10 }, (_, i) => proof(`one-of-ten-${i}`, "shared@example.com")));
    const replies = await Promise.all(proofs.map(finish));
    expect(new Set(replies.map(({ json }) => json.user.id)).size).toBe(1);
    expect(await entries(await accountAt("shared@example.com"))).toEqual([signupCredit]);
  });

  test("200: one identity that comes with two addresses at once has one account", async () => {
    const proofs = await Promise.all(["left", "right"].map((name) => proof("two-addresses", `${name}@example.com`)));
    const [first, second] = await Promise.all(proofs.map(finish));
    expect(first!.json.user.id).toBe(second!.json.user.id);
  });
});

describe("a known identity", () => {
  test("200: the same account, though its address at the provider has changed", async () => {
    const before = await signIn("moved", "before@example.com");
    const after = await signIn("moved", "after@example.com");
    expect(after.json.user).toEqual(before.json.user);
    expect((await gateway.context.db.pool.query("select 1 from account where email_norm = 'after@example.com'")).rowCount).toBe(0);
  });

  test("403 permission_denied: its account is suspended", async () => {
    await signIn("suspended", "suspended@example.com");
    await setSuspended(gateway.context.db, await accountAt("suspended@example.com"), new Date());
    const reply = await signIn("suspended", "suspended@example.com");
    expect([reply.status, reply.json.error.code, reply.json.session_token]).toEqual([403, "permission_denied", undefined]);
  });
});

describe("an address that has an account", () => {
  test("200: a verified account is linked; its keys, sessions and money stay, and no credit is added", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const session = await gateway.createSession(account);
    const reply = await signIn("linked", account.email.toUpperCase());
    expect(reply.json.user.email).toBe(account.email);
    for (const key of [account.key, session.token])
      expect((await gateway.request("GET", "/v1/credits/balance", { key })).json).toMatchObject({ balance: 5 });
  });

  test("403 permission_denied: a suspended account is not linked", async () => {
    const account = await gateway.createAccount({ verified: false });
    await setSuspended(gateway.context.db, account.accountId, new Date());
    expect((await signIn("to-suspended", account.email)).status).toBe(403);
    expect((await gateway.context.db.pool.query("select 1 from identity where subject = 'to-suspended'")).rowCount).toBe(0);
    expect(await entries(account.accountId)).toEqual([]);
  });
});

describe("an account that was never verified is reclaimed", () => {
  const email = "squatted@example.com";
  const password = "the squatter's own password";

  test("200: what its maker holds is worth nothing: password, session, key and mail; the credit is given once", async () => {
    expect((await gateway.request("POST", "/v1/auth/signup", { body: { email, password } })).status).toBe(201);
    const accountId = await accountAt(email);
    const { token } = await gateway.createSession({ accountId });
    const { secret: key } = await createKey(gateway.context.db, { accountId, name: "squatter", at: new Date() });
    expect((await gateway.request("GET", "/v1/credits/balance", { key })).status).toBe(200);
    expect((await gateway.request("GET", "/v1/credits/balance", { key: token })).status).toBe(200);

    const owner = await signIn("owner", "Squatted@Example.com");
    expect(owner.status).toBe(200);
    expect(owner.json.user).toMatchObject({ email, email_verified: true, name: null });

    expect((await gateway.request("POST", "/v1/auth/signin", { body: { email, password } })).status).toBe(401);
    expect((await gateway.request("GET", "/v1/credits/balance", { key: token })).status).toBe(401);
    await expect.poll(async () => (await gateway.request("GET", "/v1/credits/balance", { key })).status).toBe(401);
    const code = /\b\d{6}\b/.exec(gateway.mails.find(({ to }) => to === email)!.text)![0];
    expect((await gateway.request("POST", "/v1/auth/verify", { body: { email, code } })).status).toBe(400);

    expect(await entries(accountId)).toEqual([signupCredit]);
    const balance = await gateway.request("GET", "/v1/credits/balance", { key: owner.json.session_token });
    expect(balance.json).toMatchObject({ balance: 0.5 });
    await signIn("owner", email);
    expect(await entries(accountId)).toEqual([signupCredit]);
  });
});

test("403 permission_denied: a sign-in that waited until the account was deleted leaves no session, and the next one makes a new account", async () => {
  const { db } = gateway.context;
  const { json } = await signIn("leaves", "leaves@example.com");
  const accountId = await accountAt("leaves@example.com");
  const late = await proof("leaves", "leaves@example.com");
  const replies = await inTransaction(db, async ({ pool }) => {
    await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
    const removed = gateway.request("DELETE", "/v1/account?forfeit_balance=true", { key: json.session_token });
    await untilWaiting(db, "from member where person_id");
    const signedIn = finish(late);
    await untilWaiting(db, "from account", 2);
    return [removed, signedIn];
  });
  const [removed, signedIn] = await Promise.all(replies);
  expect([removed!.status, signedIn!.status, signedIn!.json.error?.code]).toEqual([200, 403, "permission_denied"]);
  for (const table of ["session", "known_network", "identity"])
    expect((await db.pool.query(`select 1 from ${table} where account_id = $1`, [accountId])).rowCount).toBe(0);
  const again = await signIn("leaves", "leaves@example.com");
  expect([again.status, again.json.user.id === json.user.id]).toEqual([200, false]);
});
