// What a round does for accounts while another session, an operator's psql or the account's own calls, holds the balance of one.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { keepHeartbeat } from "../../src/ledger/replica.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
/** Without our timeouts, like psql. */
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  operator = connect(database.url, { max: 4, statementTimeoutMs: 0 });
});
afterAll(async () => {
  expect(await audit(db)).toMatchObject({ mismatches: [] });
  await operator.close();
  await db.close();
  await database.drop();
});

const lock = "select 1 from balance where account_id = $1 for no key update";

async function addHold(accountId: bigint, owner: string): Promise<string> {
  const id = randomUUID();
  await db.pool.query("insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $3, now() + interval '1 minute')", [
    accountId,
    id,
    owner,
  ]);
  return id;
}

/** A live call, one that was given up and one of a dead process. */
async function addHolds(accountId: bigint, owner: string) {
  return {
    accountId,
    lives: await addHold(accountId, owner),
    givenUp: await addHold(accountId, owner),
    dead: await addHold(accountId, randomUUID()),
  };
}

async function holdsOf({ accountId, ...ids }: Awaited<ReturnType<typeof addHolds>>) {
  const { rows } = await db.pool.query<{ id: string; renewed: boolean }>(
    "select id, expires_at > now() + interval '1 minute' as renewed from hold where account_id = $1",
    [accountId],
  );
  const shown = (wanted: string) => rows.find(({ id }) => id === wanted)?.renewed;
  const word = (renewed: boolean | undefined) => (renewed === undefined ? "gone" : renewed ? "renewed" : "as it was");
  return { lives: word(shown(ids.lives)), givenUp: word(shown(ids.givenUp)), dead: word(shown(ids.dead)) };
}

const untouched = { lives: "as it was", givenUp: "as it was", dead: "as it was" };
const tended = { lives: "renewed", givenUp: "gone", dead: "gone" };

async function beat(owner: string, all: readonly Awaited<ReturnType<typeof addHolds>>[]) {
  const faults: unknown[] = [];
  const calls = (kind: "lives" | "givenUp", since: number) =>
    new Map(all.map((one) => [one[kind], { accountId: one.accountId, since, unheard: null, held: { keyId: null, amount: 1n } }]));
  const heartbeat = await keepHeartbeat(
    db,
    owner,
    calls("lives", -Infinity),
    calls("givenUp", performance.now()),
    (error) => faults.push(error),
    quickTimes,
  );
  return { faults, stop: () => heartbeat.stop() };
}

test("while one account's balance is held, others' calls are renewed, their lost holds released and those of dead processes swept; its own follow later", async () => {
  const owner = randomUUID();
  const held = await addHolds(await newAccount(db, { deposit: 1_000n }), owner);
  const others = [await newAccount(db, { deposit: 1_000n }), await newAccount(db, { deposit: 1_000n })];
  const free = await Promise.all(others.map((accountId) => addHolds(accountId, owner)));
  const { faults, stop } = await inTransaction(operator, async ({ pool }) => {
    await pool.query(lock, [held.accountId]);
    const heartbeat = await beat(owner, [held, ...free]);
    for (const one of free) await expect.poll(() => holdsOf(one)).toEqual(tended);
    expect(await holdsOf(held)).toEqual(untouched);
    return heartbeat;
  });
  await expect.poll(() => holdsOf(held)).toEqual(tended);
  await stop();
  expect(faults).toEqual([]);
});

test("an account so busy that its balance is never free is served, too", async () => {
  const owner = randomUUID();
  const busy = await addHolds(await newAccount(db, { deposit: 1_000n }), owner);
  let over = false;
  const keepBusy = async () => {
    while (!over)
      await inTransaction(operator, async ({ pool }) => {
        await pool.query(lock, [busy.accountId]);
        await sleep(30);
      });
  };
  const callers = [keepBusy(), keepBusy(), keepBusy()]; // one holds, two queue
  const { faults, stop } = await beat(owner, [busy]);
  await expect
    .poll(() => holdsOf(busy))
    .toEqual(tended)
    .finally(() => (over = true));
  await Promise.all(callers);
  await stop();
  expect(faults).toEqual([]);
});
