// Migration 0005 on a ledger that is in use: its entries are chained, its charges get their request and key, its keys their budgets.
import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import * as accounts from "../../src/db/migrations/0001-accounts.ts";
import * as firstLedger from "../../src/db/migrations/0002-ledger.ts";
import * as signIn from "../../src/db/migrations/0003-sign-in.ts";
import * as limits from "../../src/db/migrations/0004-limits.ts";
import * as chainAndSlots from "../../src/db/migrations/0005-chain-and-slots.ts";
import * as topUps from "../../src/db/migrations/0006-top-ups.ts";
import * as usageLog from "../../src/db/migrations/0007-usage-log.ts";
import * as mediaJobs from "../../src/db/migrations/0008-media-jobs.ts";
import { audit } from "../../src/ledger/audit.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await emptyDatabase();
  db = connect(database.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("entries that were there before are chained in the order of their time, and nothing changes in what they sum up to", async () => {
  const untyped = db.kysely as unknown as Kysely<unknown>; // the tables of its types are not there yet
  for (const migration of [accounts, firstLedger, signIn, limits]) await migration.up(untyped);
  const first = await newAccount(db, { deposit: 1_000n });
  const second = await newAccount(db, { deposit: 500n });
  const key = await db.pool.query<{ id: bigint }>(
    "insert into api_key (account_id, hash, prefix, last4, name) values ($1, sha256('k'), 'svc_ABCD', 'wxyz', 'old') returning id",
    [first],
  );
  const keyId = key.rows[0]!.id;
  const charges = [3, 1, 2].map((minute) => {
    const id = randomUUID();
    return { id, log: usageLogRow({ accountId: first, id, cost: 10n, at: new Date(Date.now() + minute * 60_000), keyId }) };
  });
  // As the first release charged: through its own function, which knew neither key nor place.
  const ids = charges.map(({ id }) => id);
  await db.pool.query("select ledger_settle($1, $2, $3)", [ids.map(() => first), ids, JSON.stringify(charges.map(({ log }) => log))]);
  await db.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now() + interval '1 day', $2, 'usage', -7, 'by hand')",
    [second, randomUUID()],
  );

  await chainAndSlots.up(untyped);

  const { rows } = await db.pool.query("select seq, id, ref, key_id, balance_after from ledger_entry where account_id = $1 order by seq", [
    first,
  ]);
  const charge = (seq: bigint, { id }: { id: string }, balance: bigint) => ({
    ...{ seq, id, ref: `req_${id}`, key_id: keyId, balance_after: balance },
  });
  const [late, early, middle] = [charges[0]!, charges[1]!, charges[2]!];
  expect(rows).toEqual([
    expect.objectContaining({ seq: 1n, ref: "test", key_id: null, balance_after: 1_000n }),
    charge(2n, early, 990n),
    charge(3n, middle, 980n),
    charge(4n, late, 970n),
  ]);
  expect((await db.pool.query("select account_id, key_id, limit_amount, spent, reserved from key_budget")).rows).toEqual([
    { account_id: first, key_id: keyId, limit_amount: null, spent: 30n, reserved: 0n },
  ]);
  expect(await verifyChain(db)).toMatchObject({ accounts: 2, entries: 6, broken: null });
  for (const migration of [topUps, usageLog, mediaJobs]) await migration.up(untyped); // the audit reads the tables of today
  expect((await audit(db)).mismatches).toEqual([]);

  await expect(db.pool.query("update ledger_entry set amount = amount + 1")).rejects.toThrow(/append-only/);
  await postEntry(db, { accountId: second, kind: "bonus", amount: 1n, ref: "test", at: new Date() });
  expect(await verifyChain(db)).toMatchObject({ entries: 7, broken: null });
});
