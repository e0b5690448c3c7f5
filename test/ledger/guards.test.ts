// The database defends itself: every bad row below comes as raw SQL, past all of our code.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { newAccountWithKeys } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;
let account: bigint;
let ownKey: bigint;
let foreignKey: bigint;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  ({ account, foreignKey, ownKey } = await newAccountWithKeys(db));
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const entry = (kind: string, amount: string, key = ", null") =>
  `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id)
   values (${account}, now(), gen_random_uuid(), '${kind}', ${amount}, 'raw'${key})`;
const correction = (corrects: string, reason: string) =>
  `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, corrects, reason)
   values (${account}, now(), gen_random_uuid(), 'adjustment', 1, 'raw', ${corrects}, ${reason})`;
const log = (status: string, cost: number, extra = "") =>
  `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms, output_tokens, reasoning_tokens)
   values (${account}, now(), gen_random_uuid(), 'r', 'o', 'm', '${status}', 200, ${cost}, 0, '{}', '[]', false, 0, ${extra || "0, 0"})`;

describe("raw SQL is refused", () => {
  test.each([
    ["changing an entry", () => "update ledger_entry set amount = amount + 1", /append-only/],
    ["deleting an entry", () => "delete from ledger_entry", /append-only/],
    ["truncating entries", () => "truncate ledger_entry", /append-only/],
    ["setting a balance", () => `update balance set available = available + 1 where account_id = ${account}`, /follows its entries/],
    ["deleting a balance", () => "delete from balance", /keeps its balance row/],
    ["a balance that starts with money", () => "insert into balance (account_id, available) values (987654, 5)", /starts at zero/],
    ["a balance of no account", () => "insert into balance (account_id) values (987654)", /foreign key/],
    ["a hold's new amount", () => "update hold set amount = 1", /keeps its amount/],
    ["truncating holds", () => "truncate hold", /end by delete/],
    [
      "a hold above what is available",
      () => `insert into hold values (${account}, gen_random_uuid(), 1001, gen_random_uuid(), now())`,
      /above what its account has/,
    ],
    ["a negative hold", () => `insert into hold values (${account}, gen_random_uuid(), -1, gen_random_uuid(), now())`, /hold_amount_check/],
    ["an entry of no account", () => entry("bonus", "5").replace(String(account), "987654"), /unknown account/],
    ["an entry of nothing", () => entry("bonus", "0"), /check/],
    ["an unknown kind", () => entry("present", "5"), /kind_decides_sign/],
    ["a negative deposit", () => entry("deposit", "-5"), /kind_decides_sign/],
    ["a payment's refund that gives money", () => entry("payment_refund", "5"), /kind_decides_sign/],
    ["purchased money below 0", () => entry("adjustment", "-1001"), /purchased_check/],
    ["earned money below 0", () => entry("earned_adjustment", "-1"), /earned_check/],
    ["a reason of two lines", () => correction("null", "e'a\\nb'"), /reason_is_one_line/],
    ["a correction of a later entry", () => correction("99", "'x'"), /corrects_an_earlier_one/],
    ["a charge that gives money", () => entry("usage", "5"), /kind_decides_sign/],
    ["a charged failure", () => log("failed", 5), /failures_are_free/],
    ["a negative cost", () => log("success", -5), /cost_check/],
    ["more reasoning than output", () => log("success", 0, "1, 2"), /usage_log_check/],
    ["a budget's spending", () => "update key_budget set spent = 0", /follows its entries/],
    ["a budget's reservations", () => "update key_budget set reserved = 0", /follows its entries/],
    ["a budget's other key", () => "update key_budget set key_id = key_id + 1", /follows its entries/],
    ["a budget of one's own making", () => `insert into key_budget values (${account}, 987654, null, 0, 0)`, /made with its key/],
    ["deleting a budget", () => "delete from key_budget", /keeps its budget/],
    ["truncating budgets", () => "truncate key_budget", /keeps its budget/],
    ["a limit below 0", () => "update key_budget set limit_amount = -1", /limit_amount_check/],
    ["an entry of another account's key", () => entry("bonus", "5", `, ${foreignKey}`), /key that its account does not have/],
    [
      "a hold of another account's key",
      () => `insert into hold values (${account}, gen_random_uuid(), 1, gen_random_uuid(), now(), ${foreignKey})`,
      /key that its account does not have/,
    ],
    ["a hold's other key", () => "update hold set key_id = 1", /keeps its amount, key and slot/],
    ["a hold's other slot", () => "update hold set pool = 'speech'", /keeps its amount, key and slot/],
    ["an unknown outcome", () => log("perhaps", 0), /status_check/],
  ])("%s", async (_what, sql, reason) => {
    await expect(db.pool.query(sql())).rejects.toThrow(reason);
  });

  test("a second signup credit, a second charge of one request, a second end of one hold", async () => {
    const at = new Date();
    await postEntry(db, { accountId: account, kind: "signup_credit", amount: 50n, ref: "test", at });
    await expect(postEntry(db, { accountId: account, kind: "signup_credit", amount: 50n, ref: "test", at })).rejects.toThrow(/signup_once/);
    const id = "00000000-0000-7000-8000-000000000001";
    const insert = (kind: string, amount: bigint) =>
      db.pool.query("insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), $2, $3, $4, 'raw')", [
        account,
        id,
        kind,
        amount,
      ]);
    await insert("usage", -5n);
    await expect(insert("usage", -5n)).rejects.toThrow(/pkey/);
    await insert("hold", -7n);
    await insert("hold_settle", 7n);
    await expect(insert("hold_release", 7n)).rejects.toThrow(/hold_ends_once/);
  });

  test("what raw SQL may add moves the balance and the key's budget with it", async () => {
    await db.pool.query(entry("bonus", "11"));
    await db.pool.query(
      `insert into hold values (${account}, gen_random_uuid(), 13, gen_random_uuid(), now() + interval '1 minute', ${ownKey})`,
    );
    expect(await budget()).toEqual({ spent: 0n, reserved: 13n });
    await db.pool.query(`delete from hold where account_id = ${account} and amount = 13`);
    await db.pool.query(entry("usage", "-7", `, ${ownKey}`));
    expect(await budget()).toEqual({ spent: 7n, reserved: 0n });
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("a media job's hold is reserved of its key until it is settled or released", async () => {
    const insert = (kind: string, amount: bigint, id: string) =>
      db.pool.query(
        "insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id) values ($1, now(), $2, $3, $4, 'job', $5)",
        [account, id, kind, amount, ownKey],
      );
    const before = await budget();
    const [settled, released] = [randomUUID(), randomUUID()];
    await insert("hold", -20n, settled);
    await insert("hold", -30n, released);
    expect(await budget()).toEqual({ ...before, reserved: 50n });
    await insert("hold_settle", 20n, settled);
    await insert("usage", -15n, settled);
    await insert("hold_release", 30n, released);
    expect(await budget()).toEqual({ spent: before.spent + 15n, reserved: 0n });
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("an entry's place, balance and hash are the chain's, whatever its statement says; one command may add many", async () => {
    await db.pool.query(
      `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, seq, balance_after, hash)
       select ${account}, now(), gen_random_uuid(), 'bonus', n, 'raw', 1, 999, '\\x00' from generate_series(1, 50) n`,
    );
    expect((await verifyChain(db)).broken).toBeNull();
    const { rows } = await db.pool.query<{ seq: bigint; n: bigint }>(
      `select max(seq) as seq, count(*) as n from ledger_entry where account_id = ${account}`,
    );
    expect(rows[0]!.seq).toBe(rows[0]!.n);
    expect((await audit(db)).mismatches).toEqual([]);
  });
});

async function budget(): Promise<{ spent: bigint; reserved: bigint }> {
  const { rows } = await db.pool.query<{ spent: bigint; reserved: bigint }>("select spent, reserved from key_budget where key_id = $1", [
    ownKey,
  ]);
  return rows[0]!;
}
