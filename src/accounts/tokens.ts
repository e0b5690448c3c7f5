// Secrets that are neither API keys nor passwords: sessions, mails, sign-ins under way. 256 random bits behind a prefix that says what
// one is; the database keeps the digest alone.
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

/** Follows from the session's token, so that it needs no place in the database and ends with the session. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("csrf").digest("hex");
}
