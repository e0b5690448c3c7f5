// A reservation that is raised: all of it or nothing, in its slot, whatever other calls do meanwhile.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { loseAnswer } from "../support/failing-statements.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { limitMember, newAccount, newMember } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
  ledger = await openLedger(db, (error) => expect.fail(String(error)));
});
afterAll(async () => {
  await ledger.close();
  expect(await audit(db)).toMatchObject({ mismatches: [] });
  await db.close();
  await database.drop();
});

const slot = { pool: "transcription", poolMax: 1, group: "audio", groupMax: 2 };
const reserve = async (accountId: bigint, want: bigint) => {
  const one = { accountId, id: randomUUID(), want, least: want };
  return { one, ...(await ledger.reserve({ ...one, slot })) };
};

test("it grows to what is wanted, keeps its slot, and is charged and released like any", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const { one } = await reserve(accountId, 100n);
  expect(await ledger.raise({ ...one, want: 700n })).toMatchObject({ granted: 700n, refused: null });
  expect(await readBalance(db, accountId)).toMatchObject({ available: 300n, reserved: 700n });
  expect(await ledger.raise({ ...one, want: 700n })).toMatchObject({ granted: 700n });
  expect(await ledger.raise({ ...one, want: 50n })).toMatchObject({ granted: 700n });
  expect(await reserve(accountId, 1n)).toMatchObject({ granted: null, refused: "slot" });
  await ledger.settle({ ...one, log: usageLogRow({ ...one, cost: 650n, at: new Date() }) });
  expect(await readBalance(db, accountId)).toMatchObject({ available: 350n, reserved: 0n });
  expect(await reserve(accountId, 1n)).toMatchObject({ granted: 1n });
});

test("more than the member's budget pays: refused for the key, and what was held stays held", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const member = await newMember(db, accountId, 1);
  await limitMember(db, member, { limit: 500n });
  const one = { accountId, id: randomUUID(), want: 100n, least: 100n, keyId: member.keys[0]! };
  await ledger.reserve({ ...one, slot });
  expect(await ledger.raise({ ...one, want: 501n })).toMatchObject({ granted: null, refused: "key", keyLeft: 400n });
  expect(await ledger.raise({ ...one, want: 500n })).toMatchObject({ granted: 500n });
});

test("more than the balance pays: refused, and what was held stays held", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const { one } = await reserve(accountId, 100n);
  expect(await ledger.raise({ ...one, want: 1_001n })).toMatchObject({
    granted: null,
    refused: "balance",
    available: 900n,
    reserved: 100n,
  });
  expect(await readBalance(db, accountId)).toMatchObject({ available: 900n, reserved: 100n });
});

test("one that has ended is refused with overloaded", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const { one } = await reserve(accountId, 100n);
  await ledger.settle({ ...one, log: usageLogRow({ ...one, cost: 0n, at: new Date() }) });
  await expect(ledger.raise({ ...one, want: 200n })).rejects.toMatchObject({ code: "overloaded" });
});

test("of 40 at once that want all that is left, as many grow as can be paid", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const holds = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const one = { accountId, id: randomUUID(), want: 10n, least: 10n };
      await ledger.reserve(one);
      return one;
    }),
  );
  const raised = await Promise.all(holds.map((one) => ledger.raise({ ...one, want: 110n })));
  expect(raised.filter(({ granted }) => granted === 110n)).toHaveLength(6);
  expect(await readBalance(db, accountId)).toMatchObject({ available: 0n, reserved: 1_000n });
});

test("a raise whose answer was lost is 503, and its call's settlement releases all of it", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const { one } = await reserve(accountId, 100n);
  loseAnswer(db, "ledger_raise", () => Promise.resolve());
  const answer = await ledger.raise({ ...one, want: 700n }).catch((error: unknown) => error);
  expect(answer).toMatchObject({ code: "overloaded" });
  expect(await readBalance(db, accountId)).toMatchObject({ reserved: 700n });
  await ledger.settle({ ...one, log: usageLogRow({ ...one, cost: 0n, at: new Date() }) });
  expect(await readBalance(db, accountId)).toMatchObject({ available: 1_000n, reserved: 0n });
});
