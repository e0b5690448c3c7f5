// The tokens of sessions, mails and sign-ins in progress: how one is made and known by its form, and the cookies that carry them. The database
// stores only the digest.
import { createHmac, randomBytes } from "node:crypto";
import { digestOf } from "./keys.ts";

/** 256 random bits behind a prefix that names the kind. */
interface NewToken {
  secret: string;
  hash: Buffer;
}

export const tokenPrefixes = { session: "svcs_", mail: "svcm_", signIn: "svco_" } as const;

export function makeToken(kind: keyof typeof tokenPrefixes): NewToken {
  const secret = tokenPrefixes[kind] + randomBytes(32).toString("base64url");
  return { secret, hash: digestOf(secret) };
}

export function isTokenShaped(kind: keyof typeof tokenPrefixes, text: string): boolean {
  return text.startsWith(tokenPrefixes[kind]) && /^[\w-]{43}$/.test(text.slice(tokenPrefixes[kind].length));
}

/** Derived from the session's token, so that it needs no column and ends with the session. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("csrf").digest("hex");
}

// The session's cookie as text, in and out, and the cookie of a browser that begins a sign-in.

const cookieName = "__Host-svc_session";
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax";

/** The longest that browsers keep a cookie. Use extends a session without a new cookie; the server knows when it ends. */
const keptSec = 400 * 24 * 60 * 60;

export function sessionCookie(token: string): string {
  return `${cookieName}=${token}; ${attributes}; Max-Age=${keptSec}`;
}

/** As a request sends it. */
export function sessionCookiePair(token: string): string {
  return `${cookieName}=${token}`;
}

export function clearedSessionCookie(): string {
  return `${cookieName}=; ${attributes}; Max-Age=0`;
}

/** The session's token in a Cookie header. */
export function readSessionCookie(header: string | undefined): string | undefined {
  return readCookie(header, cookieName);
}

const signInCookieName = "__Host-svc_signin";

export function signInCookie(browser: string, keptSec: number): string {
  return `${signInCookieName}=${browser}; ${attributes}; Max-Age=${keptSec}`;
}

export function readSignInCookie(header: string | undefined): string | undefined {
  return readCookie(header, signInCookieName);
}

function readCookie(header: string | undefined, cookie: string): string | undefined {
  for (const pair of header?.split(";") ?? []) {
    // Trims spaces and tabs only: other white space before a name would bypass what browsers guarantee for its prefix.
    const [name, value] = pair.replace(/^[ \t]+|[ \t]+$/g, "").split("=", 2) as [string, string | undefined];
    if (name === cookie) return value;
  }
  return undefined;
}
