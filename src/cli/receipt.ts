// `svc receipt …`: checks a signed receipt offline, lists and replaces the keys that sign receipts.
import { readFile } from "node:fs/promises";
import { request } from "undici";
import { Refused } from "../accounts/admin.ts";
import { parseJson } from "../json/parse.ts";
import { isSealed, listReceiptKeys, rotateReceiptKey } from "../ledger/receipt-keys.ts";
import { type KeySet, type ReceiptProofLike, verifyReceipt } from "../sdk/verify-receipt.ts";
import type { Input, Outcome } from "./command.ts";
import { recordedByShell, withDatabase } from "./with-database.ts";

export async function verify({ words, options }: Input): Promise<Outcome> {
  const proof = await readDocument<ReceiptProofLike>(words[0]!);
  const keys = await readDocument<KeySet>(options.jwks as string);
  if (!Array.isArray(keys.keys)) throw new Refused(`${options.jwks as string} is not a set of keys (JWKS)`);
  try {
    const found = await verifyReceipt(proof, keys);
    const { requestId, costUsd, accountId, issuer, signedAt, keyId, head, chainedTo } = found;
    const lines = [
      `${requestId}: ${costUsd} USD of ${accountId}, signed by ${issuer} at ${new Date(signedAt * 1000).toISOString()} with ${keyId}`,
      "signature, arithmetic and ledger entries fit",
      ...(chainedTo === null ? [] : [`the chain leads to ${chainedTo}${chainedTo === head?.id ? ", the head that was signed" : ""}`]),
    ];
    return { json: { ok: true, ...found }, text: lines.join("\n") };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { json: { ok: false, reason }, text: reason, bad: true };
  }
}

const documentMax = 20_000_000;

/** A file, or what an http(s) address answers. */
async function readDocument<T>(place: string): Promise<T> {
  try {
    const text = /^https?:\/\//.test(place) ? await load(place) : await readFile(place, "utf8");
    const value = parseJson(text);
    if (typeof value === "object" && value !== null) return value as T;
  } catch (cause) {
    throw new Refused(`${place} can't be read: ${(cause as Error).message}`);
  }
  throw new Refused(`${place} is not a JSON object`);
}

async function load(address: string): Promise<string> {
  const { statusCode, body } = await request(address, { signal: AbortSignal.timeout(10_000) });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > documentMax) throw new Error("it is too large");
    chunks.push(chunk as Buffer);
  }
  if (statusCode !== 200) throw new Error(`it answered ${statusCode}`);
  return Buffer.concat(chunks).toString("utf8");
}

export async function keys({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const shown = (await listReceiptKeys(db)).map((row) => ({
      kid: row.kid,
      created_at: row.created_at.toISOString(),
      replaced_at: row.replaced_at?.toISOString() ?? null,
      encrypted: row.replaced_at === null ? isSealed(row) : null,
    }));
    const lines = shown.map(({ kid, created_at, replaced_at, encrypted }) => {
      const state = replaced_at === null ? `signs, private half ${encrypted ? "encrypted" : "not encrypted"}` : `replaced ${replaced_at}`;
      return `${kid}  made ${created_at}  ${state}`;
    });
    return { json: { keys: shown }, text: lines.length === 0 ? "no key yet: the first signed receipt makes one" : lines.join("\n") };
  });
}

export async function rotate({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const kid = await recordedByShell(
      db,
      db.checks.now(),
      (transaction) => rotateReceiptKey(transaction, config.receiptSecret),
      (made) => ({ action: "receipt.rotate", target: made }),
    );
    const encrypted = config.receiptSecret !== null;
    return {
      json: { kid, encrypted },
      text: `receipts are signed with ${kid} from now on; its private half is ${encrypted ? "" : "not "}encrypted`,
    };
  });
}
