// GitHub, which is plain OAuth: no identity tokens, so who the user is comes from its API. github.com or an Enterprise server.
import * as openid from "openid-client";
import { parseJson } from "../json/parse.ts";
import {
  answerOf,
  type Calls,
  deadlineSec,
  type Identity,
  type IdentityProvider,
  NotProven,
  ProviderUnavailable,
  verifiedAddress,
} from "./calls.ts";

interface GithubSettings {
  name: string;
  clientId: string;
  clientSecret: string | null;
  /** https://github.com or an Enterprise server. */
  site: URL;
}

export function githubProvider(settings: GithubSettings, calls: Calls): IdentityProvider {
  const site = settings.site.href.replace(/\/+$/, "");
  const api = settings.site.hostname === "github.com" ? "https://api.github.com" : `${site}/api/v3`;
  const config = configure(settings, site, calls.send);
  return {
    name: settings.name,
    authorizationUrl: ({ redirectUri, state, codeVerifier }) =>
      answerOf(async () => {
        const challenge = await openid.calculatePKCECodeChallenge(codeVerifier);
        return openid.buildAuthorizationUrl(config, {
          scope: "user:email",
          redirect_uri: redirectUri,
          state,
          code_challenge: challenge,
          code_challenge_method: "S256",
        }).href;
      }),
    proveByCode: ({ redirectUri, codeVerifier }, code) =>
      answerOf(async () => {
        const grant = { code, redirect_uri: redirectUri, code_verifier: codeVerifier };
        const { access_token: token } = await openid.genericGrantRequest(config, "authorization_code", grant);
        return readIdentity((path) => readApi(config, token, api + path), site);
      }),
    proveByIdToken: null,
  };
}

function configure(
  { clientId, clientSecret, site: { protocol } }: GithubSettings,
  site: string,
  send: Calls["send"],
): openid.Configuration {
  const endpoints = {
    issuer: site,
    authorization_endpoint: `${site}/login/oauth/authorize`,
    token_endpoint: `${site}/login/oauth/access_token`,
  };
  const config = new openid.Configuration(endpoints, clientId, clientSecret ?? undefined);
  config[openid.customFetch] = async (url, options) => withErrorStatus(await send(url, options));
  config.timeout = deadlineSec;
  if (protocol === "http:") openid.allowInsecureRequests(config); // the operator configured this http address
  return config;
}

/** GitHub says `{"error": …}` with status 200 where RFC 6749 has 400. */
async function withErrorStatus(response: Response): Promise<Response> {
  const text = await response.text();
  const isError = /^\s*\{\s*"error"\s*:/.test(text);
  return new Response(text, { status: isError ? 400 : response.status, headers: response.headers });
}

async function readIdentity(read: (path: string) => Promise<unknown>, issuer: string): Promise<Identity> {
  const { id } = (await read("/user")) as { id?: unknown };
  if (typeof id !== "number") throw new ProviderUnavailable("the user has no id");
  const emails = await read("/user/emails?per_page=100");
  if (!Array.isArray(emails)) throw new ProviderUnavailable("no list of addresses");
  const primary = (emails as { email?: unknown; primary?: unknown; verified?: unknown }[]).find((row) => row.primary === true);
  if (primary?.verified !== true) throw new NotProven("the primary address is not verified");
  return { issuer, subject: String(id), email: verifiedAddress(primary.email), roles: null };
}

async function readApi(config: openid.Configuration, token: string, url: string): Promise<unknown> {
  const headers = new Headers({ accept: "application/vnd.github+json" });
  const response = await openid.fetchProtectedResource(config, token, new URL(url), "GET", undefined, headers);
  const text = await response.text();
  try {
    return parseJson(text);
  } catch {
    throw new ProviderUnavailable("the API's answer is no JSON");
  }
}
