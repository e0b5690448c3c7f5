// Any OpenID Connect provider, by its issuer: discovery, the code flow with PKCE, and the checks of its identity tokens (issuer,
// audience, authorized party, signature, expiry, nonce). openid-client does all of them.
import * as openid from "openid-client";
import {
  answerOf,
  type Calls,
  deadlineSec,
  type Identity,
  type IdentityProvider,
  NotProven,
  ProviderUnavailable,
  verifiedAddress,
  whyNot,
} from "./calls.ts";
import { type GroupSettings, rolesByGroups } from "../text/group-list.ts";

interface OpenidSettings {
  name: string;
  clientId: string;
  clientSecret: string | null;
  issuer: URL;
  /** Asked for beside the usual ones; null: none. */
  scope: string | null;
  /** Null: groups give no roles. */
  groups: GroupSettings | null;
}

/**
 * Providers almost never change their discovery document. openid-client caches their keys for 5 minutes and reloads them for an unknown
 * key.
 */
const discoveryMs = 60 * 60 * 1000;

export function openidProvider(settings: OpenidSettings, { send }: Calls): IdentityProvider {
  const configuration = remembered(() => discover(settings, send), discoveryMs);
  return {
    name: settings.name,
    authorizationUrl: ({ redirectUri, state, nonce, codeVerifier }) =>
      answerOf(async () => {
        const config = await configuration();
        const challenge = await openid.calculatePKCECodeChallenge(codeVerifier);
        return openid.buildAuthorizationUrl(config, {
          response_type: "code",
          scope: settings.scope === null ? "openid email" : `openid email ${settings.scope}`,
          redirect_uri: redirectUri,
          state,
          nonce,
          code_challenge: challenge,
          code_challenge_method: "S256",
        }).href;
      }),
    proveByCode: ({ redirectUri, nonce, codeVerifier }, code) =>
      answerOf(async () => {
        const config = await configuration();
        const tokens = await openid.genericGrantRequest(config, "authorization_code", {
          code,
          redirect_uri: redirectUri,
          code_verifier: codeVerifier,
        });
        if (tokens.id_token === undefined) throw new ProviderUnavailable("the provider issued no identity token");
        const claims = await checkedClaims(config, tokens.id_token, nonce);
        const lacksGroups = settings.groups !== null && !tellsGroups(settings.groups, claims);
        const info = claims.email === undefined || lacksGroups ? await userInfo(config, tokens.access_token, claims.sub) : claims;
        const identity = identityOf(claims, claims.email === undefined ? info : claims);
        return { ...identity, roles: rolesOf(settings.groups, lacksGroups ? info : claims) };
      }),
    proveByIdToken: ({ nonce }, idToken) =>
      answerOf(async () => {
        const claims = await checkedClaims(await configuration(), idToken, nonce);
        return { ...identityOf(claims, claims), roles: rolesOf(settings.groups, claims) };
      }),
  };
}

async function discover({ issuer, clientId, clientSecret }: OpenidSettings, send: Calls["send"]): Promise<openid.Configuration> {
  try {
    return await openid.discovery(issuer, clientId, clientSecret ?? undefined, undefined, {
      timeout: deadlineSec,
      [openid.customFetch]: send,
      // The first allows checking a bare identity token. An http issuer was configured as such by the operator.
      execute: [openid.useIdTokenResponseType, ...(issuer.protocol === "http:" ? [openid.allowInsecureRequests] : [])],
    });
  } catch (error) {
    throw new ProviderUnavailable(`discovery: ${whyNot(error).reason}`); // nothing from the user was checked yet
  }
}

/** Treats the token as the result of an implicit flow: the only way that openid-client checks a token alone. */
function checkedClaims(config: openid.Configuration, idToken: string, nonce: string): Promise<openid.IDToken> {
  const back = new URL("https://gateway.invalid/");
  back.hash = new URLSearchParams({ id_token: idToken }).toString();
  return openid.implicitAuthentication(config, back, nonce);
}

/** For providers that reveal the email address only to the holder of an access token. */
async function userInfo(config: openid.Configuration, accessToken: string, subject: string): Promise<Claims> {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return openid.fetchUserInfo(config, accessToken, subject);
}

type Claims = Record<string, unknown>;

function identityOf({ iss, sub }: openid.IDToken, { email, email_verified: verified }: Claims): Omit<Identity, "roles"> {
  // Some providers write their booleans as strings.
  if (verified !== true && verified !== "true") throw new NotProven("the address is not verified");
  return { issuer: iss, subject: sub, email: verifiedAddress(email) };
}

/**
 * Without the claim the user has no groups: providers leave an empty one out. Where a provider says that there are too many to list (Entra's
 * `_claim_names`), it is unknown which they are.
 */
function rolesOf(groups: GroupSettings | null, claims: Claims): Identity["roles"] {
  if (groups === null) return null;
  const { _claim_names: elsewhere } = claims;
  if (!Object.hasOwn(claims, groups.claim) && isRecord(elsewhere) && Object.hasOwn(elsewhere, groups.claim)) return null;
  return rolesByGroups(groups.rules, Object.hasOwn(claims, groups.claim) ? claims[groups.claim] : []);
}

function tellsGroups({ claim }: GroupSettings, claims: Claims): boolean {
  return Object.hasOwn(claims, claim) || Object.hasOwn(claims, "_claim_names");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

// One cached value, loaded when it is first needed and again when it is old, once for all concurrent callers. Failures are not cached.

function remembered<T>(ask: () => Promise<T>, lifeMs: number): () => Promise<T> {
  let value: Promise<T> | undefined;
  let askedAt = 0;
  return () => {
    if (value !== undefined && performance.now() - askedAt < lifeMs) return value;
    askedAt = performance.now();
    const asked = ask();
    value = asked;
    asked.catch(() => {
      if (value === asked) value = undefined;
    });
    return asked;
  };
}
