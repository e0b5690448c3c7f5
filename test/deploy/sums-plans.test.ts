// What an account or a key spent lately is read in the sums of its calls, and not call by call.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
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
