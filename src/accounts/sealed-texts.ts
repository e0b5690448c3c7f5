// Texts that an account's clients keep for the gateway and send back later, such as the summary of a conversation that was compacted:
// encrypted and authenticated under one key in the database, so that no client can read, change or make one, nor send another account's.
import { randomBytes } from "node:crypto";
import type { Db } from "../db/connect.ts";
import { seal, unseal } from "../text/sealed.ts";

export interface SealedTexts {
  seal(accountId: bigint, text: string): Promise<string>;
  /** Null: it is not one that was sealed here for this account. */
  open(accountId: bigint, sealed: string): Promise<string | null>;
}

const form = "svc1.";

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
      return form + seal(await key(), ownerOf(accountId), text).toString("base64url");
    },
    async open(accountId, sealed) {
      if (!sealed.startsWith(form)) return null;
      const opening = await key();
      try {
        return unseal(opening, ownerOf(accountId), Buffer.from(sealed.slice(form.length), "base64url"));
      } catch {
        return null; // forged, cut, or another account's
      }
    },
  };
}

function ownerOf(accountId: bigint): string {
  return `account ${accountId}`;
}

/** Replicas that do this at once get the same key. */
async function readKey({ pool }: Db): Promise<Buffer> {
  await pool.query("insert into sealing_key (key) values ($1) on conflict do nothing", [randomBytes(32)]);
  return (await pool.query<{ key: Buffer }>("select key from sealing_key")).rows[0]!.key;
}
