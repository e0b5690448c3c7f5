// Exact counts under concurrency, over several processes (PEERS.md 2.2 rows 20 to 27, 5.5).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { newAccount } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { startWorker } from "./start-worker.ts";

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

describe("a balance that pays k calls", () => {
  test.each([
    { k: 1_000, calls: 50_000, rest: 0n },
    { k: 10, calls: 500, rest: 99n },
  ])("admits exactly $k of $calls that come at once from 4 processes", async ({ k, calls, rest }) => {
    const cost = 100n;
    const accountId = await newAccount(db, { deposit: BigInt(k) * cost + rest });
    const workers = Array.from({ length: 4 }, () => startWorker(database.url, accountId, calls / 4, cost));
    const counts = await Promise.all(workers.map((worker) => worker.counts));
    const sum = (key: "admitted" | "refused" | "broken") => counts.reduce((total, count) => total + count[key], 0);
    expect({ admitted: sum("admitted"), refused: sum("refused"), broken: sum("broken") }).toEqual({
      admitted: k,
      refused: calls - k,
      broken: 0,
    });
    expect(await readBalance(db, accountId)).toMatchObject({ available: rest, reserved: 0n, spent: BigInt(k) * cost });
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("the check can fail: a gate that reads first and writes later lets too many through", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    let admitted = 0;
    const racy = async () => {
      const balance = await readBalance(db, accountId);
      if (balance === undefined || balance.available < 100n) return;
      await db.pool.query(
        "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'usage', -100, 'racy')",
        [accountId],
      );
      admitted += 1;
    };
    await Promise.all(Array.from({ length: 50 }, racy));
    expect(admitted).toBeGreaterThan(10);
  });
});
