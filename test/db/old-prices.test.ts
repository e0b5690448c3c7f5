// Migration 0007 on a log that is in use: receipts of calls that another model answered add up by the prices that counted.
import { randomUUID } from "node:crypto";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import * as accounts from "../../src/db/migrations/0001-accounts.ts";
import * as ledger from "../../src/db/migrations/0002-ledger.ts";
import * as usageLog from "../../src/db/migrations/0007-usage-log.ts";
import { newAccount } from "../ledger/new-account.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

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

const asked = { input: "2000000", output: "8000000", cached: null, per_request: "0" };

/** Answered by demo/other, at 0.1 and 0.4 USD per million; `cost` in 1e-8 USD. */
const fallback = (accountId: bigint, cost: bigint) => ({
  ...usageLogRow({ accountId, id: randomUUID(), cost, at: new Date() }),
  served_model: "demo/other",
  input_tokens: 100,
  output_tokens: 50,
  prices: asked,
  attempts: [
    {
      route: "a/x",
      model: "demo/model",
      outcome: "unavailable",
      status: 503,
      latency_ms: 1,
      cost_basis: { input: 2, output: 8, cached: null, per_request: 0 },
    },
    {
      route: "b/y",
      model: "demo/other",
      outcome: "ok",
      status: 200,
      latency_ms: 1,
      cost_basis: { input: 0.1, output: 0.4, cached: null, per_request: 0 },
    },
  ],
});

test("its own where that was what it cost, else those of the model that was asked for", async () => {
  const untyped = db.kysely as unknown as Kysely<unknown>;
  for (const migration of [accounts, ledger]) await migration.up(untyped);
  const account = await newAccount(db, { deposit: 1_000_000n });
  const own = fallback(account, 3_000n); // 100 x 0.1 + 50 x 0.4 = 30 millionths of a USD
  const dearer = fallback(account, 60_000n); // 100 x 2 + 50 x 8: what the requested model would have cost was less
  for (const log of [own, dearer]) await db.pool.query("select ledger_settle($1, $2, $3)", [[account], [log.id], JSON.stringify([log])]);

  await usageLog.up(untyped);

  const prices = async ({ id }: { id: string }) => (await db.pool.query("select prices from usage_log where id = $1", [id])).rows[0].prices;
  expect(await prices(own)).toEqual({ model: "demo/other", input: "100000", output: "400000", cached: null, per_request: "0" });
  expect(await prices(dearer)).toEqual({ model: own.model, ...asked });
});
