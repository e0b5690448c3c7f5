// Accounts for tests below HTTP: just money, and keys where a test wants them.
import { randomUUID } from "node:crypto";
import { makeKey } from "../../src/accounts/keys.ts";
import type { Db } from "../../src/db/connect.ts";
import { postEntry } from "../../src/ledger/post.ts";

/** Amounts in 1e-8 USD. */
export async function newAccount(db: Db, { deposit = 0n }: { deposit?: bigint } = {}): Promise<bigint> {
  const email = `${randomUUID()}@test.example`;
  const { rows } = await db.pool.query<{ id: bigint }>("insert into account (email, email_norm) values ($1, $1) returning id", [email]);
  const { id } = rows[0] as { id: bigint };
  if (deposit > 0n) await postEntry(db, { accountId: id, kind: "deposit", amount: deposit, ref: "test", at: new Date() });
  return id;
}

/** An account of 1,000 units, a key of its own and a key of another account. */
export async function newAccountWithKeys(db: Db) {
  const account = await newAccount(db, { deposit: 1_000n });
  const foreignKey = await newKey(db, await newAccount(db));
  return { account, foreignKey, ownKey: await newKey(db, account) };
}

/** `limit` in 1e-8 USD; absent: none. */
export async function newKey(db: Db, accountId: bigint, limit: bigint | null = null): Promise<bigint> {
  const { hash, prefix, last4 } = makeKey();
  const { rows } = await db.pool.query<{ id: bigint }>(
    "insert into api_key (account_id, hash, prefix, last4, name) values ($1, $2, $3, $4, 'test') returning id",
    [accountId, hash, prefix, last4],
  );
  const { id } = rows[0] as { id: bigint };
  await db.pool.query("update key_budget set limit_amount = $2 where key_id = $1", [id, limit]);
  return id;
}
