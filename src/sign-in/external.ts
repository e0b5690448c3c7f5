// The story of signing in by an external provider: start at its page, come back with a code or an identity token, have it confirmed, and
// begin a session in the account that the identity belongs to. What a provider speaks is src/identity's.
import type { Context } from "../context.ts";
import { inTransaction } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import type { Answer, Flow, Identity, IdentityProvider } from "../identity/types.ts";
import type { Shown } from "./browser.ts";
import { giveBackFlow, makeFlow, storeFlow, takeFlow } from "./flows.ts";
import { accountOf } from "./identities.ts";
import { assertRedirectUri } from "./redirect-uri.ts";
import { finishSignIn } from "./verified.ts";

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
  if (answer.kind === "away") await giveBackFlow(db, flow.hash);
  if (answer.kind !== "answer") return refuse(context, name, answer);
  return inTransaction(db, async (transaction) => {
    const accountId = await accountOf(transaction, answer.value, config.signUp, at);
    return finishSignIn(transaction, { accountId, client, at, catalog });
  });
}

function findProvider({ identityProviders }: Needs, name: string): IdentityProvider {
  return identityProviders.find(name) ?? failParameter("provider", "unknown");
}

/** Refuses what the provider can't check before the state is spent. */
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
