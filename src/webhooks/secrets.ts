// The secrets that sign webhooks: how one is made, stored and used, as Standard Webhooks says. They sign, so that they are stored in a form
// that can be read again: encrypted where SVC_WEBHOOK_SECRET is set.
import { createHmac, randomBytes } from "node:crypto";
import { seal, sealingKey, unseal } from "../text/sealed.ts";

const prefix = "whsec_";
const sealed = "sealed.";

export function makeSecret(): string {
  return prefix + randomBytes(32).toString("base64");
}

/** `webhook-signature`: one for each secret, with a blank between them. */
export function signaturesOf(secrets: readonly string[], { id, at, body }: { id: string; at: number; body: string }): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64")}`;
    })
    .join(" ");
}

/** `about`: what the secret belongs to; it can't be read in another row. */
export function sealSecret(secret: string, about: string, password: string | null): string {
  if (password === null) return secret;
  return sealed + seal(keyOf(password), about, secret).toString("base64");
}

export function openSecret(stored: string, about: string, password: string | null): string {
  if (!stored.startsWith(sealed)) return stored;
  if (password === null) throw new Error("the secrets of webhooks are encrypted, and SVC_WEBHOOK_SECRET is not set");
  try {
    return unseal(keyOf(password), about, Buffer.from(stored.slice(sealed.length), "base64"));
  } catch (cause) {
    throw new Error("SVC_WEBHOOK_SECRET is not the one under which the secrets of webhooks were encrypted", { cause });
  }
}

const keyOf = (password: string) => sealingKey(password, "svc webhook secrets");
