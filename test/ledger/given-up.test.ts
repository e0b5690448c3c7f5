// Reservations and settlements that were given up and made all the same: whoever gave them up gives them back, or says so, also as it ends.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { type GivenUp, keepBeating } from "../../src/ledger/replica.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
/** Without our time-outs, as psql. */
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  operator = connect(database.url, { max: 2, statementTimeoutMs: 0 });
});
afterAll(async () => {
  expect(await audit(db)).toMatchObject({ mismatches: [], reservations_open: 0 });
  await operator.close();
  await db.close();
  await database.drop();
});

let givenUp: Map<string, GivenUp>;
let faults: string[];
const onFault = (error: unknown, what: string) => void faults.push(`${what} ${String(error)}`);
beforeEach(() => {
  givenUp = new Map();
  faults = [];
});

const charge = ({ pool }: Queries, accountId: bigint, id: string) => {
  const log = usageLogRow({ accountId, id, cost: 10n, at: new Date() });
  return pool.query("select * from ledger_settle($1, $2, $3)", [[accountId], [id], JSON.stringify([log])]);
};

/** A settlement that was said to have failed. */
async function giveUp(agoMs = 0): Promise<{ accountId: bigint; id: string; said: string }> {
  const [accountId, id] = [await newAccount(db, { deposit: 100n }), randomUUID()];
  const unheard = `settling 10 units of account ${accountId},`;
  givenUp.set(id, { accountId, since: performance.now() - agoMs, unheard });
  return { accountId, id, said: `${unheard} entry ${id}, Error:` };
}

test("a settlement whose commit hung for a minute, and comes through as its hold is given back: the operator is told that it was charged", async () => {
  const { accountId, id, said } = await giveUp(60_000);
  const beating = await inTransaction(operator, async (transaction) => {
    await charge(transaction, accountId, id);
    const beating = await keepBeating(db, randomUUID(), new Map(), givenUp, onFault);
    await untilWaiting(db, "lock_balances");
    return beating;
  });
  await expect.poll(() => givenUp.size, { timeout: 10_000 }).toBe(0);
  await beating.stop();
  expect(faults).toEqual([`${said} it was charged after all, only the answer was lost`]);
});
