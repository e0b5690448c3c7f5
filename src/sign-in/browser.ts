// The browser that began a sign-in at an external provider: nobody else's code and state sign it in to an account that is not its user's.
import { createHash, randomBytes } from "node:crypto";
import { readSignInCookie, signInCookie } from "../accounts/session-cookie.ts";

/** As long as a user may take at the provider's page. */
export const signInLifeMs = 10 * 60 * 1000;

type Headers = Record<string, string | undefined>;

/** What a browser shows of the sign-in that it began; null: the request is no browser's, and can't be made one's against its user's will. */
export type Shown = { browser: Buffer | null; nonce: string | null } | null;

const secret = /^[\w-]{43}$/;

/** The same for all that one browser begins, so that it may begin several. */
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
