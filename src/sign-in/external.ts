// The steps of signing in by an external provider: start at its page, come back with a code or an identity token, confirm it, and begin
// a session in the account that the identity belongs to. src/identity speaks to the providers.
import { randomBytes, randomUUID } from "node:crypto";
import { followGroups } from "../accounts/group-members.ts";
import { digestOf } from "../accounts/keys.ts";
import { isTokenShaped, makeToken, readSignInCookie, signInCookie } from "../accounts/tokens.ts";
import type { SignUpConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import type { Answer, Flow, Identity, IdentityProvider } from "../identity/calls.ts";
import { isNewEmail } from "../text/email-address.ts";
import { lockAccount, lockAccountOf, lockOrMakeAccount, waitForOthers } from "./lock-account.ts";
import { assertMaySignUp, byInvitation, failClosed } from "./sign-up.ts";
import { finishSignIn, joinOwnDomain, markVerified, reclaim } from "./verified.ts";

type Needs = Pick<Context, "db" | "identityProviders" | "log">;

interface StartRequest {
  provider: string;
  redirectUri: string;
  /** Digest of what the browser keeps. */
  browser: Buffer;
  at: Date;
}

export async function startExternalSignIn(context: Needs, { provider: name, redirectUri, browser, at }: StartRequest) {
  const provider = findProvider(context, name);
  assertRedirectUri(redirectUri);
  const flow = makeFlow(redirectUri, at);
  const answer = await provider.authorizationUrl(flow);
  if (answer.kind !== "answer") return refuse(context, name, answer);
  await storeFlow(context.db, name, { ...flow, browser }, at);
  return { authorization_url: answer.value, state: flow.state, nonce: flow.nonce, expires_at: flow.expiresAt.toISOString() };
}

interface FinishRequest {
  provider: string;
  state: string;
  proof: { code: string } | { idToken: string };
  shown: Shown;
  /** The network that it comes from. */
  client: string;
  userAgent?: string | undefined;
  at: Date;
}

export async function finishExternalSignIn(
  context: Needs & Pick<Context, "catalog" | "config">,
  { provider: name, state, proof, shown, client, userAgent, at }: FinishRequest,
) {
  const { db, catalog, config } = context;
  const prove = proverOf(findProvider(context, name), proof);
  const flow = await takeFlow(db, { provider: name, state, shown, at });
  const answer = await prove(flow);
  if (answer.kind === "unavailable") await giveBackFlow(db, flow.hash);
  if (answer.kind !== "answer") return refuse(context, name, answer);
  const { roles } = answer.value;
  const findAccount = (transaction: Queries) => accountOf(transaction, answer.value, config.signUp, at);
  // Each transaction locks accounts in an order of its own; a session begins only once the memberships are as the groups say.
  const known = roles === null ? null : await inTransaction(db, findAccount);
  if (roles !== null && known !== null) await joinByGroups(context, { personId: known, provider: name, roles, at });
  const session = await inTransaction(db, async (transaction) => {
    const accountId = known ?? (await findAccount(transaction));
    await lockAccount(transaction, accountId); // no session begins in an account that is deleted meanwhile
    return finishSignIn(transaction, { accountId, client, userAgent, at, catalog });
  });
  return joinOwnDomain(context, session, at);
}

async function joinByGroups({ db, log }: Needs, joining: Parameters<typeof followGroups>[1]): Promise<void> {
  const followed = await inTransaction(db, (transaction) => followGroups(transaction, joining));
  const { provider, personId } = joining;
  if (Object.values(followed).some((ids: string[]) => ids.length > 0))
    log.info({ provider, person: String(personId), ...followed }, "memberships follow the groups of a sign-in");
}

function findProvider({ identityProviders }: Needs, name: string): IdentityProvider {
  return identityProviders.find(name) ?? failParameter("provider", "unknown");
}

/** Refuses what the provider could not check, before the state is used up. */
function proverOf(provider: IdentityProvider, proof: FinishRequest["proof"]): (flow: Flow) => Promise<Answer<Identity>> {
  if ("code" in proof) return (flow) => provider.proveByCode(flow, proof.code);
  const { proveByIdToken } = provider;
  if (proveByIdToken) return (flow) => proveByIdToken(flow, proof.idToken);
  return failParameter("id_token", "this provider issues none; send its code");
}

/** The reason is for the operator: it may say that the provider does not accept this gateway's client secret. */
function refuse({ log }: Needs, provider: string, { kind, reason }: Exclude<Answer<unknown>, { kind: "answer" }>): never {
  if (kind === "refused") log.info({ provider, reason }, "a sign-in was not confirmed by its provider");
  else log.warn({ provider, reason }, "a sign-in provider did not answer, or rejected this gateway");
  return fail(kind === "refused" ? "invalid_credentials" : "overloaded");
}

// Where a provider may send the browser back to. The provider checks that the address is this gateway's: the operator registered it there.

/** RFC 8252 7.3: an app on the user's own machine has no certificate. */
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

function assertRedirectUri(text: string): void {
  const url = URL.parse(text);
  if (url === null || !isSafe(url))
    failParameter("redirect_uri", "it must be https, or http on this machine (localhost, 127.0.0.1, [::1])");
  if (text.includes("#") || url.username !== "" || url.password !== "")
    failParameter("redirect_uri", "it must hold no fragment and no credentials");
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && loopback.has(hostname));
}

// Which account an identity at an external provider belongs to; a new identity gets one (docs/behaviour/endpoints.md#accounts).

/** An identity keeps its account for good, even if its address changes. */
async function accountOf(transaction: Queries, identity: Identity, signUp: SignUpConfig, at: Date): Promise<bigint> {
  // Two first sign-ins of one identity at once would both find it unknown.
  await waitForOthers(transaction, `identity ${identity.issuer} ${identity.subject}`);
  return (await findLinked(transaction, identity)) ?? (await link(transaction, identity, signUp, at));
}

async function findLinked({ pool }: Queries, { issuer, subject }: Identity): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ accountId: bigint }>(
    `select account_id as "accountId" from identity where issuer = $1 and subject = $2`,
    [issuer, subject],
  );
  return rows[0]?.accountId;
}

async function link(transaction: Queries, { issuer, subject, email }: Identity, signUp: SignUpConfig, at: Date): Promise<bigint> {
  const known = await lockAccountOf(transaction, email);
  if (!known?.verified) assertMaySignUp(signUp, email);
  if (known === undefined && signUp.mode === "invite") failClosed(byInvitation);
  if (known === undefined && !isNewEmail(email)) failClosed("a new account needs an address such as ada@example.com");
  const { id: accountId } = await lockOrMakeAccount(transaction, { email, at, userId: randomUUID(), name: null });
  // Neither does anything to an account that is verified already.
  await reclaim(transaction, { accountId, at });
  await markVerified(transaction, { accountId, at, credit: signUp.credit });
  await transaction.pool.query("insert into identity (issuer, subject, account_id, created_at) values ($1, $2, $3, $4)", [
    issuer,
    subject,
    accountId,
    at,
  ]);
  return accountId;
}

// Sign-ins under way at an external provider: started, taken once, given back where the provider was unavailable. Only the state's
// digest is stored.

interface StartedFlow extends Flow {
  state: string;
  hash: Buffer;
  expiresAt: Date;
}

function makeFlow(redirectUri: string, at: Date): StartedFlow {
  const { secret, hash } = makeToken("signIn");
  const random = () => randomBytes(32).toString("base64url");
  return { state: secret, hash, nonce: random(), codeVerifier: random(), redirectUri, expiresAt: new Date(at.getTime() + signInLifeMs) };
}

async function storeFlow(db: Queries, provider: string, flow: StartedFlow & { browser: Buffer }, at: Date): Promise<void> {
  await db.pool.query(
    `insert into sign_in_flow (hash, provider, nonce, code_verifier, redirect_uri, created_at, expires_at, browser)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [flow.hash, provider, flow.nonce, flow.codeVerifier, flow.redirectUri, at, flow.expiresAt, flow.browser],
  );
}

interface Taking {
  provider: string;
  state: string;
  shown: Shown;
  at: Date;
}

/** Of any number of requests with the same state one gets the flow; a browser that did not begin it takes nothing. */
async function takeFlow(db: Queries, { provider, state, shown, at }: Taking): Promise<Flow & { hash: Buffer }> {
  if (!isTokenShaped("signIn", state)) fail("invalid_token", { param: "state" });
  const hash = digestOf(state);
  const { rows } = await db.pool.query<Flow>(
    `update sign_in_flow set used_at = $3 where hash = $1 and provider = $2 and used_at is null and expires_at > $3
       and ($4 or browser = $5 or nonce = $6)
     returning nonce, code_verifier as "codeVerifier", redirect_uri as "redirectUri"`,
    [hash, provider, at, shown === null, shown?.browser ?? null, shown?.nonce ?? null],
  );
  return rows[0] ? { ...rows[0], hash } : await refuseState(db, provider, hash, at);
}

/** Gives a flow back when the provider did not answer: the caller is told to try again, and can. */
async function giveBackFlow(db: Queries, hash: Buffer): Promise<void> {
  await db.pool.query("update sign_in_flow set used_at = null where hash = $1", [hash]);
}

async function refuseState(db: Queries, provider: string, hash: Buffer, at: Date): Promise<never> {
  const { rows } = await db.pool.query<{ used: boolean; late: boolean }>(
    "select used_at is not null as used, expires_at <= $3 as late from sign_in_flow where hash = $1 and provider = $2",
    [hash, provider, at],
  );
  const { used, late } = rows[0] ?? { used: false, late: false };
  return fail(used ? "used_token" : late ? "expired_token" : "invalid_token", { param: "state" });
}

// Binds a sign-in at an external provider to the browser that began it, so that an attacker's code and state can't sign the user in to
// the attacker's account.

/** How long a user may take at the provider's page. */
const signInLifeMs = 10 * 60 * 1000;

type Headers = Record<string, string | undefined>;

/** The browser's proof that it began the sign-in; null: the request is not from a browser, so it can't be forged in one. */
type Shown = { browser: Buffer | null; nonce: string | null } | null;

const secret = /^[\w-]{43}$/;

/** One for all sign-ins that a browser begins, so that it may begin several. */
export function beginInBrowser(headers: Headers): { browser: Buffer; cookie: string } {
  const known = readSignInCookie(headers["cookie"]);
  const own = known !== undefined && secret.test(known) ? known : randomBytes(32).toString("base64url");
  return { browser: digestOf(own), cookie: signInCookie(own, signInLifeMs / 1000) };
}

/** Every browser says where a page's request comes from; no page can leave that out. */
export function shownBy(headers: Headers, nonce: string | null): Shown {
  if (headers["origin"] === undefined && headers["sec-fetch-site"] === undefined) return null;
  const own = readSignInCookie(headers["cookie"]);
  return { browser: own === undefined ? null : digestOf(own), nonce };
}
