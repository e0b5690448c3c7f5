// The Ed25519 keys that sign receipts. All replicas sign with the one key in the database; where SVC_RECEIPT_SECRET is set, its private half
// is encrypted there, so that a copy of the database alone signs nothing (docs/behaviour/ledger.md#receipts).
import { calculateJwkThumbprint, CompactEncrypt, compactDecrypt, CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { type Db, inTransactionOf, type Queries } from "../db/connect.ts";
import { parseJson } from "../json/parse.ts";
import { sealingKey } from "../text/sealed.ts";

export interface ReceiptKeys {
  /** All public keys, the current one first. */
  jwks(): Promise<{ keys: JWK[] }>;
  /** A compact JWS of the payload, signed by the current key. */
  sign(payload: object): Promise<string>;
}

interface KeyRow {
  kid: string;
  public_jwk: JWK;
  private_key: string | null;
  created_at: Date;
  replaced_at: Date | null;
}

/** The first use of a database makes its first key. */
export function openReceiptKeys(db: Db, secret: string | null): ReceiptKeys {
  let opened: { kid: string; key: Awaited<ReturnType<typeof importJWK>> } | null = null;
  const current = async () => (await readCurrent(db)) ?? (await makeFirst(db, secret));
  return {
    async jwks() {
      await current();
      return { keys: (await listReceiptKeys(db)).map(publicKey) };
    },
    async sign(payload) {
      const { kid, private_key: stored } = await current();
      if (opened?.kid !== kid) opened = { kid, key: await importJWK(await unseal(stored!, secret), algorithm) };
      const bytes = new TextEncoder().encode(JSON.stringify(payload));
      return new CompactSign(bytes).setProtectedHeader({ alg: algorithm, kid, typ: "receipt+jws" }).sign(opened.key);
    },
  };
}

const algorithm = "EdDSA";

/** The newest first. */
export async function listReceiptKeys({ pool }: Queries): Promise<KeyRow[]> {
  const sql = "select kid, public_jwk, private_key, created_at, replaced_at from receipt_key order by replaced_at desc nulls first";
  return (await pool.query<KeyRow>(sql)).rows;
}

export function isSealed({ private_key: stored }: KeyRow): boolean {
  return stored !== null && !stored.startsWith("{");
}

function publicKey({ kid, public_jwk }: KeyRow): JWK {
  return { ...public_jwk, kid, use: "sig", alg: algorithm };
}

/** Replaces the current key by a new one, whose id it returns. The replaced one's private half is gone with the commit. */
export async function rotateReceiptKey(db: Db | Queries, secret: string | null): Promise<string> {
  const made = await makeKey(secret);
  return inTransactionOf(db, async ({ pool }) => {
    await pool.query("update receipt_key set replaced_at = now(), private_key = null where replaced_at is null");
    await insertKey({ pool }, made);
    return made.kid;
  });
}

async function readCurrent({ pool }: Queries): Promise<KeyRow | undefined> {
  const sql = "select kid, public_jwk, private_key, created_at, replaced_at from receipt_key where replaced_at is null";
  return (await pool.query<KeyRow>(sql)).rows[0];
}

/** Replicas that do this at once get the same key. */
async function makeFirst(db: Db, secret: string | null): Promise<KeyRow> {
  await insertKey(db, await makeKey(secret));
  return (await readCurrent(db))!;
}

type NewKey = Awaited<ReturnType<typeof makeKey>>;

async function insertKey({ pool }: Queries, { kid, publicJwk, stored }: NewKey): Promise<void> {
  const sql =
    "insert into receipt_key (kid, public_jwk, private_key) values ($1, $2, $3) on conflict ((true)) where replaced_at is null do nothing";
  await pool.query(sql, [kid, JSON.stringify(publicJwk), stored]);
}

async function makeKey(secret: string | null) {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { crv: "Ed25519", extractable: true });
  const publicJwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(publicJwk);
  return { kid, publicJwk, stored: await seal(JSON.stringify(await exportJWK(privateKey)), secret) };
}

async function seal(text: string, secret: string | null): Promise<string> {
  if (secret === null) return text;
  return new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(keyOf(secret));
}

async function unseal(stored: string, secret: string | null): Promise<JWK> {
  if (stored.startsWith("{")) return parseJson(stored) as JWK;
  if (secret === null) throw new Error("the key that signs receipts is encrypted, and SVC_RECEIPT_SECRET is not set");
  try {
    const { plaintext } = await compactDecrypt(stored, keyOf(secret));
    return parseJson(new TextDecoder().decode(plaintext)) as JWK;
  } catch (cause) {
    throw new Error("SVC_RECEIPT_SECRET is not the one under which the key that signs receipts was encrypted", { cause });
  }
}

const keyOf = (secret: string) => sealingKey(secret, "svc receipt keys");
