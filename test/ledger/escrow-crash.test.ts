// Processes that are killed or stopped while they hold slices: what they had left is given back as their calls' holds are, no money is spent
// twice, and a process that was taken for dead serves nothing out of what was given back.
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { startProgram } from "../support/bundle.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { sized } from "../support/size.ts";
import { type EscrowProcess, openProcess, quickTimes } from "./escrow-process.ts";
import { giveBackHolds } from "./escrow-world.ts";
import { newAccount, newKey } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let survivor: EscrowProcess;
let workers: Worker[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  survivor = await openProcess(database.url, () => undefined, { times: quickTimes });
});
afterEach(async () => {
  for (const worker of workers) await worker.kill();
  workers = [];
});
afterAll(async () => {
  await survivor.close();
  expect((await verifyChain(db)).broken).toBeNull();
  await db.close();
  await database.drop();
});

interface Worker {
  child: ChildProcess;
  /** What it saw acknowledged. */
  charged: bigint[];
  kill(): Promise<void>;
}

const want = 100n;

function startWorker({ accountId, keyId }: { accountId: bigint; keyId: bigint }): Worker {
  const child = startProgram("escrow-worker", [database.url, String(accountId), String(keyId), String(want)]);
  const charged: bigint[] = [];
  createInterface({ input: child.stdout! }).on("line", (line) => charged.push(BigInt(line)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const worker = {
    child,
    charged,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
  workers.push(worker);
  return worker;
}

async function openAccount(deposit: bigint) {
  const accountId = await newAccount(db, { deposit });
  return { accountId, keyId: await newKey(db, accountId) };
}

async function hasSlice(accountId: bigint): Promise<boolean> {
  return (await db.pool.query("select 1 from hold where account_id = $1 and pool = 'escrow' and amount > 500", [accountId])).rowCount! > 0;
}

const untilSliced = (accountId: bigint) => eventually(async () => expect(await hasSlice(accountId)).toBe(true), 5);

/** Nothing is held, the books agree, and every acknowledged charge is in them. */
async function expectWhole(accountId: bigint, deposit: bigint): Promise<bigint> {
  await eventually(async () => expect(await readBalance(db, accountId)).toMatchObject({ reserved: 0n }));
  expect((await audit(db)).mismatches).toEqual([]);
  const { available, spent } = (await readBalance(db, accountId))!;
  expect(available).toBe(deposit - spent);
  const { rows } = await db.pool.query<{ id: string; amount: bigint }>(
    "select id, -amount as amount from ledger_entry where account_id = $1 and kind = 'usage'",
    [accountId],
  );
  const acknowledged = workers.flatMap(({ charged }) => charged);
  expect(rows.reduce((all, { amount }) => all + amount, 0n)).toBe(spent);
  expect(rows.length).toBeGreaterThanOrEqual(acknowledged.length);
  expect(spent).toBeGreaterThanOrEqual(acknowledged.reduce((all, cost) => all + cost, 0n));
  return available;
}

test("kill -9 of holders at any moment: every slice comes back, and the balance is spent to the last call, never below 0", async () => {
  const deposit = BigInt(sized(1_500_000, 400_000));
  const account = await openAccount(deposit);
  const watching = watchBalance(account.accountId);
  let least: bigint | undefined;
  try {
    for (let round = 0; round < 4; round += 1) {
      const some = [startWorker(account), startWorker(account)];
      await untilSliced(account.accountId);
      await sleep(Math.random() * 200);
      await Promise.all(some.map(({ kill }) => kill()));
    }
    await expectWhole(account.accountId, deposit);
    const last = startWorker(account);
    await eventually(async () => expect((await readBalance(db, account.accountId))!.available).toBeLessThan(want), 100);
    await last.kill();
  } finally {
    least = await watching();
  }
  expect(least).toBeGreaterThanOrEqual(0n);
  expect(await expectWhole(account.accountId, deposit)).toBeGreaterThanOrEqual(0n);
});

/** The least that was ever available, until it is asked for. */
function watchBalance(accountId: bigint): () => Promise<bigint> {
  let isOver = false;
  let least = 2n ** 60n;
  const watching = (async () => {
    while (!isOver) {
      const { available } = (await readBalance(db, accountId))!;
      if (available < least) least = available;
      await sleep(2);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return least;
  };
}

const busySql = `select 1 from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;

test("a stopped holder keeps its slice until it is dead; afterwards it serves nothing out of it", async () => {
  const deposit = 10n ** 9n;
  const account = await openAccount(deposit);
  const worker = startWorker(account);
  // Stopped while it holds a slice: what it had sent is done first.
  for (let isHeld = false; !isHeld;) {
    worker.child.kill("SIGCONT");
    await untilSliced(account.accountId);
    worker.child.kill("SIGSTOP");
    await eventually(async () => expect((await db.pool.query(busySql)).rowCount).toBe(0), 20);
    isHeld = await hasSlice(account.accountId);
  }
  const { available } = (await readBalance(db, account.accountId))!;
  const ask = () => survivor.ledger.reserve({ ...account, id: randomUUID(), want: available + 1n, least: available + 1n });
  expect(await ask()).toMatchObject({ granted: null, refused: "balance" });
  // Everything of the stopped process comes back, and can be spent.
  await eventually(async () => expect(await ask()).toMatchObject({ granted: available + 1n }), 200);
  await giveBackHolds(db, account.accountId);
  const all = (await readBalance(db, account.accountId))!.available;
  const id = randomUUID();
  expect(await survivor.ledger.reserve({ ...account, id, want: all, least: all })).toMatchObject({ granted: all });
  worker.child.kill("SIGCONT");
  const before = worker.charged.length;
  await sleep(500);
  // Of the 24 calls that it had in flight, at most all are charged, without a hold; no further one was admitted.
  expect(worker.charged.length - before).toBeLessThanOrEqual(24);
  await db.pool.query("delete from hold where account_id = $1 and id = $2", [account.accountId, id]);
  await eventually(() => expect(worker.charged.length - before).toBeGreaterThan(100), 20);
  await worker.kill();
  await expectWhole(account.accountId, deposit);
});
