// Statements whose answers were lost: a settlement that was committed, but the database failed before it answered, and stayed unavailable for
// longer than any timeout; and the end of a call with an idempotency key.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { claimKey, letGo } from "../../src/ledger/idempotency.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../robustness/database-proxy.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { whileFailing } from "../support/failing-statements.ts";
import { untilWaiting } from "../support/locks.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let wire: DatabaseProxy;
let db: Db;
let far: Db;
/** Without our timeouts, like psql. */
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  wire = await openDatabaseProxy(database.url);
  db = connect(database.url, { max: 4 });
  far = connect(wire.url, { max: 4, silenceMs: 4_000 });
  operator = connect(database.url, { max: 1, statementTimeoutMs: 0 });
});
afterAll(async () => {
  await operator.close();
  await far.close();
  await db.close();
  await wire.close();
  await database.drop();
});

test("its caller gets 503, and once the database is back the operator reads that it was charged after all, once; of one that was not made nothing is reported", async () => {
  const faults: { what: string; error: string }[] = [];
  const times = { ...quickTimes, settleTimeoutMs: 3_000 };
  const ledger = await openLedger(far, (error, what) => faults.push({ what, error: String(error) }), undefined, times);
  const accounts = [await newAccount(db, { deposit: 100n }), await newAccount(db, { deposit: 100n })] as const;
  const [made, lost] = accounts.map((accountId) => ({ accountId, id: randomUUID(), want: 50n, least: 50n })) as [Call, Call];
  for (const call of [made, lost]) await ledger.reserve(call);
  const settle = (call: Call) => {
    const log = { ...usageLogRow({ ...call, cost: 10n, at: new Date(), reserved: 50n }), request_id: `req_${call.accountId}` };
    return ledger.settle({ ...call, log }).catch((error: unknown) => error);
  };

  const answers = await inTransaction(operator, async ({ pool }) => {
    await pool.query("select 1 from balance where account_id = $1 for no key update", [made.accountId]);
    const first = settle(made);
    await untilWaiting(db, "ledger_settle");
    wire.cut(); // the server still does what it was asked
    return [first, settle(lost)];
  });
  for (const answer of answers) expect(await answer).toMatchObject({ code: "overloaded" });
  expect(await readBalance(db, made.accountId)).toMatchObject({ available: 90n, reserved: 0n, spent: 10n });

  wire.restore();
  const charged = () => faults.filter(({ error }) => error.includes("charged after all"));
  await expect.poll(charged).toHaveLength(1);
  for (const part of [String(made.accountId), `req_${made.accountId}`, made.id]) expect(charged()[0]!.what).toContain(part);
  await expect.poll(() => readBalance(db, lost.accountId)).toMatchObject({ available: 100n, reserved: 0n, spent: 0n });
  await sleep(2 * times.beatMs); // another round
  expect(charged()).toHaveLength(1);
  await ledger.close();
});

test("an idempotency key is free again although three connections were lost while its call was let go", async () => {
  const claim = {
    ...{ accountId: await newAccount(db, { deposit: 1_000n }), operation: "createChatCompletion", key: randomUUID() },
    ...{ hash: Buffer.alloc(32), callId: randomUUID(), receivedAt: new Date(), owner: randomUUID() },
  };
  expect((await claimKey(db, claim)).outcome).toBe("claimed");
  const failing = { part: "idempotency_let_go", code: "ECONNRESET", turns: [1, 2, 3] };
  expect((await whileFailing(db, failing, () => letGo(db, claim))).seen).toBe(4);
  expect((await claimKey(db, { ...claim, callId: randomUUID() })).outcome).toBe("claimed");
});

interface Call {
  accountId: bigint;
  id: string;
  want: bigint;
  least: bigint;
}
