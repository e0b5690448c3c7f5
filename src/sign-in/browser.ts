// Binds a sign-in at an external provider to the browser that began it, so that an attacker's code and state can't sign the user in to
// the attacker's account.
import { createHash, randomBytes } from "node:crypto";
import { readSignInCookie, signInCookie } from "../accounts/sessions.ts";

/** How long a user may take at the provider's page. */
export const signInLifeMs = 10 * 60 * 1000;

type Headers = Record<string, string | undefined>;

/** The browser's proof that it began the sign-in; null: the request is not from a browser, so it can't be forged in one. */
export type Shown = { browser: Buffer | null; nonce: string | null } | null;

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

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
