// The funded account of a first start on the embedded database, a toy for one person: its key lies in clear in a file
// of the data folder, so that later starts print the same one (OPERATOR.md "Start"). Never with DATABASE_URL.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "./accounts/admin.ts";
import type { Db } from "./db/connect.ts";
import { postEntry } from "./ledger/post.ts";
import { type Amount, parseUsd } from "./money.ts";

/** Enough to lift the free-tier gate and reach tier 4, so that the key works with every endpoint. */
const demoDeposit: Amount = parseUsd("1000") as Amount;

/** Null where the database already held accounts that are not the demo's. */
export async function demoKey(db: Db, dataDir: string): Promise<string | null> {
  const file = join(dataDir, "demo-key");
  if (existsSync(file)) return readFileSync(file, "utf8").trim();
  const { rows } = await db.pool.query<{ n: bigint }>("select count(*) as n from account");
  if (rows[0]?.n !== 0n) return null;
  const at = new Date();
  const { accountId, apiKey } = await createAccount(db, { email: "demo@localhost", verified: true, at });
  await postEntry(db, { accountId, kind: "deposit", amount: demoDeposit, ref: "demo", at });
  writeFileSync(file, `${apiKey}\n`, { mode: 0o600 });
  return apiKey;
}
