// What an account or a key spent lately is read in the sums of its calls, and not call by call; and what operators search follows an index.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { listAccounts } from "../../src/accounts/admin.ts";
import { readBesideCalls } from "../../src/ledger/report.ts";
import { readActions } from "../../src/operators/action-log.ts";
import { readKeyDays } from "../../src/ledger/summary/read-summary.ts";
import { listSpending } from "../../src/operators/accounts.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { explainQueries } from "./explain-queries.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("what an account and its key spent is summed from few pages, however many calls it made, and is exact with those of just now", async () => {
  await db.pool.query("insert into account (email, email_norm) values ('a@example.com', 'a@example.com')");
  const calls = (count: number, at: string) =>
    db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
       select 1, ${at}, gen_random_uuid(), 'req_' || n, 7, 'createChatCompletion', 'test/one', 'success', 200, 3, 3, '{}', '[]', false, 1 from generate_series(1, $1::int) n`,
      [count],
    );
  await calls(3_000, "date_trunc('day', now(), 'UTC')");
  await rolledUp(db);
  await calls(20, "now()");
  await db.pool.query("vacuum analyze usage_log");

  const at = new Date();
  const anyone = { before: null, email: null, suspended: null };
  for (const work of [() => listSpending(db, at, anyone, 50), () => readKeyDays(db, { accountId: 1n, id: 7n }, { at, days: 30 })])
    for (const { text, buffers } of await explainQueries(db, work)) expect(buffers, text).toBeLessThan(60);
  const [log] = await explainQueries(db, () => db.pool.query("select sum(cost) from usage_log where account_id = 1"));
  expect(log!.buffers).toBeGreaterThan(60);

  expect(await listSpending(db, at, anyone, 50)).toMatchObject([{ accountId: 1n, spentLately: 9_060n }]);
  const days = await readKeyDays(db, { accountId: 1n, id: 7n }, { at, days: 30 });
  expect(days).toHaveLength(30);
  expect(days[0]).toMatchObject({ requests: 3_020n, cost: 9_060n });
});

const anyone = { before: null, email: null, suspended: null };
/** Beside many more, which share their ends. */
const unusual = [
  "Zoë.O'Neil@example.com",
  "back\\slash@example.com",
  "a_b%c@example.com",
  "İnci@example.com",
  "with blank@example.com",
  "x@y.zq",
];

describe("beside 5,000 accounts, entries and actions", () => {
  beforeAll(async () => {
    const { pool } = db;
    await pool.query(
      `insert into account (email, email_norm) select mail, lower(mail) from (
         select 'person-' || n || '@firm-' || n % 50 || '.example' as mail from generate_series(1, 5000) n union all select unnest($1::text[])) m`,
      [unusual],
    );
    const client = await pool.connect();
    try {
      await client.query("set session_replication_role = replica"); // no trigger, no foreign key
      await client.query(
        `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, seq, balance_after, hash)
         select 1, now(), gen_random_uuid(), 'deposit', 1, 'd_' || n, n, n, '' from generate_series(1, 5000) n`,
      );
      await client.query(
        "insert into operator_action (at, who, action, target) select now(), 'someone', 'account.credit', 'acc_' || n from generate_series(1, 5000) n",
      );
    } finally {
      client.release(true);
    }
    await pool.query("vacuum analyze account, ledger_entry, operator_action");
  });

  const lately = () => ({ from: new Date(Date.now() - 30 * 86_400_000), to: new Date() });
  const reads: Record<string, () => Promise<unknown[]>> = {
    "suspended accounts": () => listAccounts(db, { ...anyone, suspended: true }, 51),
    "accounts by a part of their address that none has": () => listAccounts(db, { ...anyone, email: "nobody" }, 51),
    "accounts by two letters that none has": () => listAccounts(db, { ...anyone, email: "qq" }, 51),
    "accounts by words that none has": () => listAccounts(db, { ...anyone, email: "nobody at all" }, 51),
    "refunds of a time": () => readBesideCalls(db, lately()),
    "actions of a kind that nobody did": () => readActions(db, { action: "none.such" }, 51),
  };
  test.each(Object.entries(reads))("%s: none is found in few pages, and no table is walked", async (_, read) => {
    for (const { text, buffers, walked } of await explainQueries(db, read)) {
      expect(walked, text).toEqual([]);
      expect(buffers, text).toBeLessThan(40);
    }
    expect(await read()).toEqual([]);
  });

  test("an account is found by any part of its address, in large letters or small, as a search without the index finds it", async () => {
    const cut = unusual.flatMap((email) => [1, 2, 4, 40].flatMap((length) => [0, 3, 9].map((at) => email.slice(at, at + length))));
    const parts = [...new Set(cut.flatMap((part) => [part, part.toUpperCase()]))].filter((part) => part !== "");
    const { rows } = await db.pool.query<{ ids: bigint[] }>(
      `select array(select id from account where position(lower(part) in lower(email)) > 0 order by id desc limit 8) as ids
       from unnest($1::text[]) with ordinality p(part, n) order by n`,
      [parts],
    );
    const found = await Promise.all(parts.map((email) => listAccounts(db, { ...anyone, email }, 8)));
    expect(found.map((accounts) => accounts.map(({ accountId }) => accountId))).toEqual(rows.map(({ ids }) => ids));
    for (const email of unusual) expect(found.flat().map((account) => account.email)).toContain(email);
  });
});
