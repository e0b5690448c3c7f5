// The funded demo account of a first start on the embedded database, for one person to try: its key is stored in clear text in the
// data folder, so that later starts print the same key. Never used with DATABASE_URL.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "../accounts/admin.ts";
import { type Db, inTransaction } from "../db/connect.ts";
import { postEntry } from "../ledger/post.ts";
import { type Amount, parseUsd } from "../money.ts";

/** Enough to lift the free-tier gate and reach tier 4, so that the key works with every endpoint. */
const demoDeposit: Amount = parseUsd("1000") as Amount;

/** An arbitrary lock number: one gateway at a time checks whether the database is empty. */
const lockKey = 7322003;

/** Null where the database already held accounts that are not the demo's. `db` needs two connections. */
export async function demoKey(db: Db, dataDir: string): Promise<string | null> {
  const file = join(dataDir, "demo-key");
  const locker = await db.pool.connect();
  try {
    await locker.query("select pg_advisory_lock($1)", [lockKey]);
    // A file left over from another database has a key that this one doesn't know.
    if (await isEmpty(db)) return await makeDemoAccount(db, file);
    return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
  } finally {
    locker.release(true); // the lock ends with its connection
  }
}

async function isEmpty(db: Db): Promise<boolean> {
  return (await db.pool.query("select 1 from account limit 1")).rowCount === 0;
}

async function makeDemoAccount(db: Db, file: string): Promise<string> {
  const at = new Date();
  return inTransaction(db, async (transaction) => {
    const { accountId, apiKey } = await createAccount(transaction, { email: "demo@localhost", verified: true, at });
    await postEntry(transaction, { accountId, kind: "deposit", amount: demoDeposit, ref: "demo", at });
    writeFileSync(file, `${apiKey}\n`, { mode: 0o600 }); // before the commit: the key of an account without its file would be lost
    return apiKey;
  });
}
