// Accounts for tests below HTTP: no key, just money.
import { randomUUID } from "node:crypto";
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
