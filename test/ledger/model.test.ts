// The ledger against a model of it in a few lines (model.ts): random histories of reservations with keys and slots, settlements, repeats,
// deposits, changed limits and dead replicas; after every step the database agrees with the model and audits clean.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { commands, type Model, summaryAgrees } from "./model.ts";
import { newAccount, newKey } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { rolledUp } from "../support/rolled-up.ts";
import { usageLogRow } from "../support/usage-log-row.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  expect((await verifyChain(db)).broken).toBeNull();
  await db.close();
  await database.drop();
});

describe("the ledger", () => {
  test("keeps balances, budgets and slots equal to their entries and holds, and sums of usage to the charges, through any history", async () => {
    const histories: { model: Model; accountId: bigint; keyIds: bigint[] }[] = [];
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (history) => {
        const accountId = await newAccount(db, { deposit: 1_000n });
        const keyIds = [await newKey(db, accountId), await newKey(db, accountId, 600n)];
        const model: Model = { available: 1_000n, holds: new Map(), charged: new Map(), deposited: 1_000n, limits: [null, 600n] };
        histories.push({ model, accountId, keyIds });
        await fc.asyncModelRun(() => ({ model, real: { db, ledger, accountId, keyIds, granted: [] } }), history);
      }),
      { numRuns: 40 },
    );
    expect(await rolledUp(db)).toBeGreaterThan(0);
    for (const { model, accountId, keyIds } of histories) await summaryAgrees(model, { db, accountId, keyIds });
    await ledger.close();
  });

  test("side by side in one batch, each request counts for those behind it: slots, group, key", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 1_000n });
    const keyId = await newKey(db, accountId, 250n);
    const slot = (pool: string) => ({ pool, poolMax: 2, group: "audio", groupMax: 3 });
    const ask = (more: object) => ledger.reserve({ accountId, id: randomUUID(), want: 100n, least: 100n, ...more });
    const of = async (asks: Promise<{ granted: bigint | null; refused: string | null }>[]) =>
      (await Promise.all(asks)).map(({ granted, refused }) => granted ?? refused);
    const free = { want: 0n, least: 0n };
    expect(
      await of([
        ask({ slot: slot("a"), ...free }),
        ask({ slot: slot("a"), ...free }),
        ask({ slot: slot("a"), ...free }),
        ask({ slot: slot("b"), ...free }),
        ask({ slot: slot("b"), ...free }),
      ]),
    ).toEqual([0n, 0n, "slot", 0n, "group"]);
    expect(
      await of([ask({ keyId }), ask({ keyId }), ask({ keyId }), ask({ keyId, least: 50n }), ask({ keyId, ...free }), ask({})]),
    ).toEqual([100n, 100n, "key", 50n, 0n, 100n]);
    await ledger.close();
  });

  test("a reservation that is asked for again is the same one: no second slot, nothing more of the key", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 1_000n });
    const keyId = await newKey(db, accountId, 100n);
    const slot = { pool: "a", poolMax: 1, group: null, groupMax: null };
    const request = { accountId, keyId, id: randomUUID(), want: 80n, least: 80n, slot };
    for (let round = 0; round < 2; round += 1) expect(await ledger.reserve(request)).toMatchObject({ granted: 80n, refused: null });
    expect((await db.pool.query("select reserved from key_budget where key_id = $1", [keyId])).rows).toEqual([{ reserved: 80n }]);
    await ledger.close();
  });

  test("grants side by side requests in order, and a refused big one does not refuse the small one behind it", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 1_000n });
    const ask = (want: bigint, least: bigint) => ledger.reserve({ accountId, id: randomUUID(), want, least });
    const results = await Promise.all([ask(600n, 600n), ask(500n, 500n), ask(900n, 300n), ask(1n, 1n)]);
    expect(results.map(({ granted }) => granted)).toEqual([600n, null, 400n, null]);
    await ledger.close();
  });

  test("a swept reservation whose call answers anyway is charged, once", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    const accountId = await newAccount(db, { deposit: 100n });
    const id = randomUUID();
    const at = new Date();
    await ledger.reserve({ accountId, id, want: 100n, least: 100n });
    await db.pool.query("update hold set expires_at = now() - interval '1 second' where account_id = $1", [accountId]);
    await db.pool.query("select ledger_sweep('9 seconds')");
    const settlement = { accountId, id, log: usageLogRow({ accountId, id, cost: 150n, at }) };
    expect(await ledger.settle(settlement)).toBe(-50n);
    expect(await ledger.settle(settlement)).toBe(-50n);
    expect((await ledger.reserve({ accountId, id: randomUUID(), want: 0n, least: 0n })).granted).toBeNull();
    await ledger.close();
  });

  test("an unknown account has nothing to spend", async () => {
    const ledger = await openLedger(db, (error) => expect.fail(String(error)));
    expect(await ledger.reserve({ accountId: 999_999n, id: randomUUID(), want: 1n, least: 1n })).toEqual({
      granted: null,
      available: 0n,
      reserved: 0n,
      refused: "balance",
      keyLeft: null,
    });
    await ledger.close();
  });
});
