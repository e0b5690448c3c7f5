// Sign-ins under way at an external provider: started, taken once, given back where the provider was unavailable. Only the state's
// digest is stored.
import { randomBytes } from "node:crypto";
import { digestOf } from "../accounts/keys.ts";
import { isTokenShaped, makeToken } from "../accounts/tokens.ts";
import type { Queries } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import type { Flow } from "../identity/types.ts";
import { type Shown, signInLifeMs } from "./browser.ts";

interface StartedFlow extends Flow {
  state: string;
  hash: Buffer;
  expiresAt: Date;
}

export function makeFlow(redirectUri: string, at: Date): StartedFlow {
  const { secret, hash } = makeToken("signIn");
  const random = () => randomBytes(32).toString("base64url");
  return { state: secret, hash, nonce: random(), codeVerifier: random(), redirectUri, expiresAt: new Date(at.getTime() + signInLifeMs) };
}

export async function storeFlow(db: Queries, provider: string, flow: StartedFlow & { browser: Buffer }, at: Date): Promise<void> {
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
export async function takeFlow(db: Queries, { provider, state, shown, at }: Taking): Promise<Flow & { hash: Buffer }> {
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
export async function giveBackFlow(db: Queries, hash: Buffer): Promise<void> {
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
