// Reservations and settlements that were given up and committed anyway: the process releases or reports them, also when it stops.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import { isAccountHeld } from "../../src/ledger/account-batcher.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { type GivenUp, keepHeartbeat } from "../../src/ledger/replica.ts";
import { type DatabaseProxy, openDatabaseProxy } from "../robustness/database-proxy.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { loseAnswer } from "../support/failing-statements.ts";
import { untilWaiting } from "../support/locks.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let wire: DatabaseProxy;
let db: Db;
/** Behind a wire that can be cut. */
let far: Db;
/** Without our timeouts, like psql. */
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  wire = await openDatabaseProxy(database.url);
  db = connect(database.url, { max: 4 });
  far = connect(wire.url, { max: 4, silenceMs: 4_000 });
  operator = connect(database.url, { max: 2, statementTimeoutMs: 0 });
});
afterAll(async () => {
  expect(await audit(db)).toMatchObject({ mismatches: [], reservations_open: 0 });
  await operator.close();
  await far.close();
  await db.close();
  await wire.close();
  await database.drop();
});

let givenUp: Map<string, GivenUp>;
let faults: string[];
const onFault = (error: unknown, what: string) => void faults.push(`${what} ${String(error)}`);
beforeEach(() => {
  givenUp = new Map();
  faults = [];
});
afterEach(() => wire.restore());

const lock = ({ pool }: Queries, accountId: bigint) =>
  pool.query("select 1 from balance where account_id = $1 for no key update", [accountId]);
const charge = ({ pool }: Queries, accountId: bigint, id: string) => {
  const log = usageLogRow({ accountId, id, cost: 10n, at: new Date() });
  return pool.query("select * from ledger_settle($1, $2, $3)", [[accountId], [id], JSON.stringify([log])]);
};

/** A settlement that the log reported as failed. */
async function giveUp(agoMs = 0): Promise<{ accountId: bigint; id: string; message: string }> {
  const [accountId, id] = [await newAccount(db, { deposit: 100n }), randomUUID()];
  const unheard = `settling 10 units of account ${accountId},`;
  givenUp.set(id, { accountId, since: performance.now() - agoMs, unheard });
  return { accountId, id, message: `${unheard} entry ${id}, Error:` };
}

test("a settlement whose commit hung for a minute, and succeeds as its hold is released: the operator reads that it was charged", async () => {
  const { accountId, id, message } = await giveUp(60_000);
  const heartbeat = await inTransaction(operator, async (transaction) => {
    await charge(transaction, accountId, id);
    const heartbeat = await keepHeartbeat(db, randomUUID(), new Map(), givenUp, onFault, quickTimes);
    await untilWaiting(db, "lock_balances");
    return heartbeat;
  });
  await expect.poll(() => givenUp.size).toBe(0);
  await heartbeat.stop();
  expect(faults).toEqual([`${message} it was charged after all, only the answer was lost`]);
});

test("a process that stops reports what it gave up: charged after all, or unknown where the balance is held; nothing of what was not charged", async () => {
  const [made, held] = [await giveUp(), await giveUp()];
  await giveUp();
  await charge(db, made.accountId, made.id);
  const heartbeat = await keepHeartbeat(db, randomUUID(), new Map(), givenUp, onFault, quickTimes);
  await inTransaction(operator, async (transaction) => {
    await lock(transaction, held.accountId);
    await heartbeat.stop();
  });
  expect(faults).toEqual([
    `${made.message} it was charged after all, only the answer was lost`,
    `${held.message} it is not known whether it was charged: this process ends`,
  ]);
});

test("a gateway that stops during an outage: it reports that its last calls may have been charged, by name", async () => {
  const ledger = await openLedger(far, onFault, undefined, { ...quickTimes, settleTimeoutMs: 3_000 });
  const call = { accountId: await newAccount(db, { deposit: 100n }), id: randomUUID(), want: 50n, least: 50n };
  await ledger.reserve(call);
  wire.cut();
  const answer = ledger.settle({ ...call, log: usageLogRow({ ...call, cost: 10n, at: new Date() }) }).catch((error: unknown) => error);
  await ledger.close();
  expect(await answer).toMatchObject({ code: "overloaded" });
  const unknown = faults.filter((fault) => fault.includes("not known whether"));
  expect(unknown).toHaveLength(1);
  for (const part of [`account ${call.accountId},`, call.id]) expect(unknown[0]).toContain(part);
  await db.pool.query("delete from hold where id = $1", [call.id]); // the sweep of another would
});

test("a reservation whose answer was lost, and whose account was held at the retry: released", async () => {
  const ledger = await openLedger(far, onFault, undefined, quickTimes);
  const accountId = await newAccount(db, { deposit: 100n });
  const holding = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  loseAnswer(far, "ledger_reserve", () => {
    void inTransaction(operator, async (transaction) => {
      await lock(transaction, accountId);
      holding.resolve();
      await over.promise;
    });
    return holding.promise;
  });
  const answer = await ledger.reserve({ accountId, id: randomUUID(), want: 60n, least: 60n }).catch((error: unknown) => error);
  expect(answer).toMatchObject({ code: "overloaded" });
  expect(isAccountHeld((answer as Error).cause)).toBe(true);
  expect(await readBalance(db, accountId)).toMatchObject({ available: 40n, reserved: 60n });
  over.resolve();
  await expect.poll(() => readBalance(db, accountId)).toMatchObject({ available: 100n, reserved: 0n });
  await ledger.close();
  expect(faults).toEqual([]);
});
