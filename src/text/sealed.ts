// Encrypts a text for whom it belongs to (AES-256-GCM): changed, cut, under another key or as another's it can't be opened.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const [ivBytes, tagBytes] = [12, 16];

/** A key for one use of a secret of the environment, which is long and random (src/config.ts), so that deriving need not be slow. */
export function sealingKey(secret: string, use: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret, "", use, 32));
}

/** `about`: what the text belongs to; opening it takes the same. `key`: 32 bytes. */
export function seal(key: Uint8Array, about: string, text: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(about));
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
}

/** Throws where it was not sealed like this. */
export function unseal(key: Uint8Array, about: string, sealed: Buffer): string {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(about));
  decipher.setAuthTag(sealed.subarray(ivBytes).subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString();
}
