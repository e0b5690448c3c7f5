// The secrets that sign webhooks: how one is made, stored and used, as Standard Webhooks says. They sign, so that they are stored in a form
// that can be read again: encrypted where SVC_WEBHOOK_SECRET is set.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

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
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(password), iv).setAAD(Buffer.from(about));
  const bytes = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return sealed + bytes.toString("base64");
}

export function openSecret(stored: string, about: string, password: string | null): string {
  if (!stored.startsWith(sealed)) return stored;
  if (password === null) throw new Error("the secrets of webhooks are encrypted, and SVC_WEBHOOK_SECRET is not set");
  const bytes = Buffer.from(stored.slice(sealed.length), "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(password), bytes.subarray(0, 12)).setAAD(Buffer.from(about));
    decipher.setAuthTag(bytes.subarray(-16));
    return decipher.update(bytes.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new Error("SVC_WEBHOOK_SECRET is not the one under which the secrets of webhooks were encrypted", { cause });
  }
}

/** The password is long and random (src/config.ts), so that deriving need not be slow. */
function keyOf(password: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", password, "", "svc webhook secrets", 32));
}
