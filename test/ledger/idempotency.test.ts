// Keys of calls that have ended, while connections to the database are lost.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Claim, claimKey, letGo } from "../../src/ledger/idempotency.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("a key is free again although three connections were lost while its call was let go", async () => {
  const claim: Claim = {
    accountId: await newAccount(db, { deposit: 1_000n }),
    operation: "createChatCompletion",
    key: randomUUID(),
    hash: Buffer.alloc(32),
    callId: randomUUID(),
    receivedAt: new Date(),
    owner: randomUUID(),
  };
  expect((await claimKey(db, claim)).outcome).toBe("claimed");
  const query = db.pool.query.bind(db.pool) as (...values: unknown[]) => unknown;
  let lost = 0;
  vi.spyOn(db.pool, "query").mockImplementation(((...values: unknown[]) => {
    if (lost >= 3) return query(...values);
    lost += 1;
    return Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
  }) as never);
  await letGo(db, claim);
  expect(lost).toBe(3);
  expect((await claimKey(db, { ...claim, callId: randomUUID() })).outcome).toBe("claimed");
});
