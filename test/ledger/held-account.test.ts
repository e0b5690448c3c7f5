// Another session holds one account's balance: only that account waits, and no charge is lost.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
/** Without our timeouts, like psql. */
let operator: Db;
let ledger: Ledger;
const faults: unknown[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
  operator = connect(database.url, { max: 1, statementTimeoutMs: 0 });
  ledger = await openLedger(db, (error) => faults.push(error));
});
afterAll(async () => {
  await ledger.close();
  expect(faults).toEqual([]);
  expect(await audit(db)).toMatchObject({ mismatches: [], reservations_open: 0 });
  expect((await verifyChain(db)).broken).toBeNull();
  await operator.close();
  await db.close();
  await database.drop();
});

const call = (accountId: bigint) => ({ accountId, id: randomUUID(), want: 100n, least: 1n });
const settle = (one: ReturnType<typeof call>, cost = 10n) =>
  ledger.settle({ ...one, log: usageLogRow({ ...one, cost, at: new Date(), reserved: 100n }) });
/** While the account's balance is held. */
const whileHeld = <T>(accountId: bigint, work: () => Promise<T>) =>
  inTransaction(operator, async ({ pool }) => {
    await pool.query("select 1 from balance where account_id = $1 for no key update", [accountId]);
    return work();
  });

describe("an account whose balance is held", () => {
  test("others are served meanwhile; its reservations are 503 after 3 s, its settlements wait until they are done", async () => {
    const [held, free] = [await newAccount(db, { deposit: 10_000n }), await newAccount(db, { deposit: 10_000_000n })];
    const before = call(held);
    await ledger.reserve(before);
    let served = 0;
    const clients: Promise<unknown>[] = [];
    const { settled } = await whileHeld(held, async () => {
      const settled = settle(before);
      const refused = ledger.reserve(call(held)).catch((error: unknown) => error);
      let isRefused = false;
      void refused.finally(() => (isRefused = true));
      while (!isRefused || served <= 10) {
        const one = call(free);
        await ledger.reserve(one);
        await settle(one);
        served += 1;
        const again = call(held);
        clients.push(
          ledger
            .reserve(again)
            .then(() => settle(again, 0n))
            .catch((error: unknown) => error),
        );
        await sleep(20);
      }
      expect(await refused).toMatchObject({ code: "overloaded" });
      return { settled };
    });
    // It was not given up, as it is after 30 s: had each of the others waited for the held one's timeout, they would have taken longer.
    expect(await settled).toBe(9_990n);
    await Promise.all(clients);
    expect(await readBalance(db, held)).toMatchObject({ spent: 10n, reserved: 0n });
  });

  test("a call that it can't pay is refused at once, and waits for no lock", async () => {
    const accountId = await newAccount(db, { deposit: 99n });
    const [poor, able] = [{ ...call(accountId), least: 100n }, call(await newAccount(db, { deposit: 100n }))];
    await whileHeld(accountId, async () => {
      const answers = await Promise.all([ledger.reserve(poor), ledger.reserve(able)]);
      expect(answers).toMatchObject([{ granted: null, refused: "balance", available: 99n }, { granted: 100n }]);
    });
    await settle(able, 0n);
    expect(await ledger.reserve({ ...poor, least: 99n })).toMatchObject({ granted: 99n });
    await settle({ ...poor }, 0n);
  });

  test("a gateway that stops while one of its settlements waits has charged it", async () => {
    const accountId = await newAccount(db, { deposit: 10_000n });
    const own = await openLedger(db, (error) => faults.push(error));
    const one = call(accountId);
    await own.reserve(one);
    const { settled, closed } = await whileHeld(accountId, async () => {
      const settled = own.settle({ ...one, log: usageLogRow({ ...one, cost: 10n, at: new Date() }) });
      const closed = own.close();
      await sleep(1_500);
      return { settled, closed };
    });
    await closed;
    expect((await readBalance(db, accountId))?.spent).toBe(10n);
    await settled;
  });
});

test("a charge is committed to disk even where the server does not usually wait for it", async () => {
  const accountId = await newAccount(db, { deposit: 10_000n });
  const log = JSON.stringify([usageLogRow({ accountId, id: randomUUID(), cost: 10n, at: new Date() })]);
  await inTransaction(db, async ({ pool }) => {
    await pool.query("set local synchronous_commit = off");
    await pool.query("select ledger_settle($1, $2, $3)", [[accountId], [randomUUID()], log]);
    expect((await pool.query("show synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
  });
});
