// The steps of signing in by an external provider: start at its page, come back with a code or an identity token, confirm it, and begin
// a session in the account that the identity belongs to. src/identity speaks to the providers.
import { randomUUID } from "node:crypto";
import type { SignUpConfig } from "../config.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import type { Answer, Flow, Identity, IdentityProvider } from "../identity/types.ts";
import type { Shown } from "./browser.ts";
import { giveBackFlow, makeFlow, storeFlow, takeFlow } from "./flows.ts";
import { lockAccountOf, lockOrMakeAccount, waitForOthers } from "./lock-account.ts";
import { finishSignIn, markVerified, reclaim } from "./verified.ts";
import { assertMaySignUp, byInvitation, failClosed } from "./who-may.ts";

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
  at: Date;
}

export async function finishExternalSignIn(
  context: Needs & Pick<Context, "catalog" | "config">,
  { provider: name, state, proof, shown, client, at }: FinishRequest,
) {
  const { db, catalog, config } = context;
  const prove = proverOf(findProvider(context, name), proof);
  const flow = await takeFlow(db, { provider: name, state, shown, at });
  const answer = await prove(flow);
  if (answer.kind === "unavailable") await giveBackFlow(db, flow.hash);
  if (answer.kind !== "answer") return refuse(context, name, answer);
  return inTransaction(db, async (transaction) => {
    const accountId = await accountOf(transaction, answer.value, config.signUp, at);
    return finishSignIn(transaction, { accountId, client, at, catalog });
  });
}

function findProvider({ identityProviders }: Needs, name: string): IdentityProvider {
  return identityProviders.find(name) ?? failParameter("provider", "unknown");
}

/** Refuses, before the state is spent, what the provider could not check. */
function proverOf(provider: IdentityProvider, proof: FinishRequest["proof"]): (flow: Flow) => Promise<Answer<Identity>> {
  if ("code" in proof) return (flow) => provider.proveByCode(flow, proof.code);
  const { proveByIdToken } = provider;
  if (proveByIdToken) return (flow) => proveByIdToken(flow, proof.idToken);
  return failParameter("id_token", "this provider issues none; send its code");
}

/** The reason is for the operator: it may tell that the provider does not accept this gateway's client secret. */
function refuse({ log }: Needs, provider: string, { kind, reason }: Exclude<Answer<unknown>, { kind: "answer" }>): never {
  if (kind === "refused") log.info({ provider, reason }, "a sign-in was not confirmed by its provider");
  else log.warn({ provider, reason }, "a sign-in provider does not answer, or not to this gateway");
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
