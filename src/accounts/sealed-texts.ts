// Texts that an account's clients keep for the gateway and send back later, such as the summary of a conversation that was compacted:
// encrypted and authenticated under one key in the database, so that no client can read, change or make one, nor send another account's.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Db } from "../db/connect.ts";

export interface SealedTexts {
  seal(accountId: bigint, text: string): Promise<string>;
  /** Null: it is not one that was sealed here for this account. */
  open(accountId: bigint, sealed: string): Promise<string | null>;
}

const form = "svc1.";
const [ivBytes, tagBytes] = [12, 16];

/** All replicas share the key; the first use of a database makes it. */
export function openSealedTexts(db: Db): SealedTexts {
  let known: Promise<Buffer> | null = null;
  const key = () =>
    (known ??= readKey(db).catch((error: unknown) => {
      known = null; // the next request asks again
      throw error;
    }));
  return {
    async seal(accountId, text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv("aes-256-gcm", await key(), iv).setAAD(ownerOf(accountId));
      return form + Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },
    async open(accountId, sealed) {
      if (!sealed.startsWith(form)) return null;
      const bytes = Buffer.from(sealed.slice(form.length), "base64url");
      if (bytes.length < ivBytes + tagBytes) return null;
      const decipher = createDecipheriv("aes-256-gcm", await key(), bytes.subarray(0, ivBytes)).setAAD(ownerOf(accountId));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const text = decipher.update(bytes.subarray(ivBytes, -tagBytes));
      try {
        return Buffer.concat([text, decipher.final()]).toString();
      } catch {
        return null; // forged, cut, or another account's
      }
    },
  };
}

function ownerOf(accountId: bigint): Buffer {
  return Buffer.from(`account ${accountId}`);
}

/** Replicas that do this at once get the same key. */
async function readKey({ pool }: Db): Promise<Buffer> {
  await pool.query("insert into sealing_key (key) values ($1) on conflict do nothing", [randomBytes(32)]);
  return (await pool.query<{ key: Buffer }>("select key from sealing_key")).rows[0]!.key;
}
