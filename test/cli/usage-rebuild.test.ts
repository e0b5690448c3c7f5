// `svc usage rebuild`: sums that are wrong are as the usage log has them again, and those of months without a log stay.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Settlement, settleBatch } from "../../src/ledger/settlement.ts";
import { newAccount } from "../ledger/new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { newCall } from "../support/usage-log-row.ts";
import { callSvc } from "./run-svc.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  await db.pool.query("select ensure_partitions('usage_log', 1)");
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const sums = async () => {
  const { rows } = await db.pool.query<{ starts_at: Date; requests: bigint; cost: bigint }>(
    "select starts_at, requests, cost from usage_rollup where span = 15 and tag_hash = usage_tag_hash(null) order by starts_at",
  );
  return rows;
};

test("makes the sums of the log's months again, those of accounts and of all, and says of how many rows", async () => {
  const account = await newAccount(db, { deposit: 1_000_000n });
  const at = new Date(Date.now() - 60 * 60_000);
  const calls: Settlement[] = [3n, 4n, 5n].map((cost) => newCall(account, cost, at));
  await settleBatch(db, calls, { onFault: (error) => expect.fail(String(error)) });
  await rolledUp(db, "10 minutes 10 seconds");
  const old = new Date("2001-01-01T00:00:00Z");
  await db.pool.query(
    `insert into usage_rollup select $1, 15, $2, usage_tag_hash(null), 'm', 0, 'createImage', false, '', null, 3, 0, 0, 0, 0, 0, 9, null, 0, 0`,
    [account, old],
  );
  const whole = [
    { starts_at: old, requests: 3n, cost: 9n },
    { starts_at: expect.any(Date), requests: 3n, cost: 12n },
  ];
  expect(await sums()).toEqual(whole);
  await db.pool.query("update usage_rollup set cost = cost + 1, requests = 7 where starts_at > $1", [old]);
  await db.pool.query("delete from usage_total");
  const { status, json } = await callSvc({ DATABASE_URL: database.url }, ["usage", "rebuild", "--json"]);
  expect([status, json()]).toEqual([0, { rows: 3 }]);
  expect(await sums()).toEqual(whole);
  const { rows } = await db.pool.query("select cost from usage_total where span = 15");
  expect(rows).toEqual([{ cost: 12n }]);
});
