// Accounts for tests below HTTP: just money, and keys where a test wants them.
import { randomUUID } from "node:crypto";
import type { BudgetChange } from "../../src/accounts/key-budgets.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { setMemberBudget } from "../../src/accounts/members.ts";
import { lockAccountRow } from "../../src/accounts/users.ts";
import { type Db, inTransaction } from "../../src/db/connect.ts";
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

export interface LimitedMember {
  accountId: bigint;
  /** A person's own account. */
  personId: bigint;
}

/** As the API does it. */
export const limitMember = (db: Db, member: LimitedMember, change: BudgetChange) =>
  inTransaction(db, async (transaction) => {
    await lockAccountRow(transaction, member.accountId);
    await setMemberBudget(transaction, member, change);
  });

/** New keys of the account, which a new person created: as many as asked for. */
export async function newMember(db: Db, accountId: bigint, keys: number): Promise<LimitedMember & { keys: bigint[] }> {
  const member = { accountId, personId: await newAccount(db), keys: [] as bigint[] };
  while (member.keys.length < keys) member.keys.push(await newKey(db, accountId));
  await db.pool.query("update api_key set created_by = $2 where id = any($1)", [member.keys, member.personId]);
  return member;
}
