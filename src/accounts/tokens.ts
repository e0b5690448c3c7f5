// Secrets other than API keys and passwords: of sessions, mails and sign-ins in progress. 256 random bits behind a prefix that names the
// kind; the database stores only the digest.
import { createHmac, randomBytes } from "node:crypto";
import { digestOf } from "./keys.ts";

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
