// The hash chain of an account's entries: a change that bypasses the triggers breaks it, and svc ledger verify says where.
import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { correct, postEntry } from "../../src/ledger/post.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { newAccount, newKey } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

let database: TestDatabase;
let db: Db;
let account: bigint;
/** Ids of its four charges, entries 2 to 5. */
let charges: string[];
beforeEach(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 8 });
  await newAccount(db, { deposit: 500n });
  account = await newAccount(db, { deposit: 1_000n });
  const keyId = await newKey(db, account);
  const ledger = await openLedger(db, (error) => expect.fail(String(error)));
  charges = [];
  for (const cost of [10n, 20n, 30n, 40n]) {
    const id = randomUUID();
    charges.push(id);
    await ledger.settle({ accountId: account, id, log: usageLogRow({ accountId: account, id, cost, at: new Date(), keyId }) });
  }
  await ledger.close();
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

/** As a superuser, past every trigger. */
async function tamper(sql: string, values: unknown[] = []): Promise<void> {
  const client = await db.pool.connect();
  try {
    await client.query("begin");
    await client.query("set local session_replication_role = replica");
    await client.query(sql, values);
    await client.query("commit");
  } finally {
    client.release();
  }
}

const broken = async () => (await verifyChain(db)).broken;
const link = (seq: number, reason: RegExp) => ({
  account_id: `acc_${account}`,
  seq,
  entry_id: charges[seq - 2]!,
  reason: expect.stringMatching(reason),
});

describe("a chain that holds", () => {
  test("counts accounts and entries; its head follows the entries and nothing else", async () => {
    const first = await verifyChain(db);
    expect(first).toEqual({ accounts: 2, entries: 6, head: expect.stringMatching(/^[0-9a-f]{64}$/), broken: null });
    expect(await verifyChain(db)).toEqual(first);
    await postEntry(db, { accountId: account, kind: "bonus", amount: 1n, ref: "line\nfeed, ä, 𝄞", at: new Date() });
    const second = await verifyChain(db);
    expect(second).toMatchObject({ entries: 7, broken: null });
    expect(second.head).not.toBe(first.head);
  });

  test("a charge's entry names its request and its key", async () => {
    const { rows } = await db.pool.query("select ref, key_id is not null as keyed from ledger_entry where account_id = $1 and id = $2", [
      account,
      charges[0],
    ]);
    expect(rows).toEqual([{ ref: `req_${charges[0]}`, keyed: true }]);
  });

  test("is not broken by charges, deposits and raw inserts that come at once, over more than one page", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const others = [account, await newAccount(db, { deposit: 1_000_000n })];
    const at = new Date();
    await Promise.all(
      Array.from({ length: 6_000 }, (_, n) => {
        const accountId = others[n % 2]!;
        const id = randomUUID();
        if (n % 20 === 0) return postEntry(db, { accountId, kind: "deposit", amount: 1n, ref: "test", at });
        return ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost: 1n, at }) });
      }),
    );
    await ledger.close();
    expect(await verifyChain(db)).toMatchObject({ accounts: 3, entries: 6_007, broken: null });
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("a charge that is there already leaves no gap, in the middle of a batch and under another time", async () => {
    const settle = (ids: string[], at: Date) => {
      const logs = ids.map((id) => usageLogRow({ accountId: account, id, cost: 5n, at }));
      return db.pool.query("select * from ledger_settle($1, $2, $3)", [ids.map(() => account), ids, JSON.stringify(logs)]);
    };
    await settle([randomUUID(), charges[1]!, randomUUID()], new Date(Date.now() + 60_000));
    expect(await verifyChain(db)).toMatchObject({ entries: 8, broken: null });
  });
});

describe("a broken chain", () => {
  test("a changed amount", async () => {
    await tamper("update ledger_entry set amount = -1 where id = $1", [charges[1]]);
    expect(await broken()).toEqual(link(3, /balance_after/));
  });

  test("a changed amount, with the balances after it set right", async () => {
    await tamper("update ledger_entry set amount = -1 where id = $1", [charges[1]]);
    await tamper("update ledger_entry set balance_after = balance_after + 19 where account_id = $1 and seq >= 3", [account]);
    expect(await broken()).toEqual(link(3, /hash/));
  });

  test.each([
    ["ref", "update ledger_entry set ref = 'other' where id = $1"],
    ["key", "update ledger_entry set key_id = null where id = $1"],
    ["time, by a microsecond", "update ledger_entry set created_at = created_at + interval '1 microsecond' where id = $1"],
    ["hash", "update ledger_entry set hash = sha256('other') where id = $1"],
  ])("a changed %s", async (_what, sql) => {
    await tamper(sql, [charges[1]]);
    expect(await broken()).toEqual(link(3, /hash/));
  });

  test.each([
    ["another reason", "update ledger_entry set reason = 'other' where seq = $2 and account_id = $1"],
    ["no reason", "update ledger_entry set reason = null where seq = $2 and account_id = $1"],
    ["another entry that it corrects", "update ledger_entry set corrects = 2 where seq = $2 and account_id = $1"],
    ["the words of a correction in its ref", "update ledger_entry set ref = 'mistyped', reason = null where seq = $2 and account_id = $1"],
  ])("a correction with %s", async (_what, sql) => {
    const at = new Date();
    await correct(db, { accountId: account, kind: "adjustment", amount: -5n, ref: "cli", reason: "mistyped", corrects: 1n, at });
    expect(await broken()).toBeNull();
    await tamper(sql, [account, 6]);
    expect(await broken()).toMatchObject({ seq: 6, reason: expect.stringMatching(/hash/) });
  });

  test("a deleted entry in the middle", async () => {
    await tamper("delete from ledger_entry where id = $1", [charges[1]]);
    expect(await broken()).toEqual(link(4, /entry 3 is missing/));
  });

  test("a deleted entry in the middle, with those behind it moved up", async () => {
    await tamper("delete from ledger_entry where id = $1", [charges[1]]);
    for (const seq of [4, 5])
      await tamper("update ledger_entry set seq = seq - 1, balance_after = balance_after + 20 where account_id = $1 and seq = $2", [
        account,
        seq,
      ]);
    expect(await broken()).toMatchObject({ seq: 3, entry_id: charges[2], reason: expect.stringMatching(/hash/) });
  });

  test("swapped entries", async () => {
    const place = "update ledger_entry set seq = $2 where account_id = $1 and seq = $3";
    await tamper(place, [account, 99, 3]);
    await tamper(place, [account, 3, 4]);
    await tamper(place, [account, 4, 99]);
    expect(await broken()).toMatchObject({ seq: 3, entry_id: charges[2] });
  });

  test("a deleted last entry leaves a whole chain: the head differs from the one that was kept, and the audit finds it", async () => {
    const { head } = await verifyChain(db);
    await tamper("delete from ledger_entry where id = $1", [charges[3]]);
    const after = await verifyChain(db);
    expect(after.broken).toBeNull();
    expect(after.head).not.toBe(head);
    expect((await audit(db)).mismatches).toContainEqual(
      expect.objectContaining({ account_id: `acc_${account}`, what: "balance", stored: 0.000009, computed: 0.0000094 }),
    );
  });
});
