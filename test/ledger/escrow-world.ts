// A database with several processes that hold slices, for tests of escrow; after each test nothing is held and the books agree.
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { awayFromMinuteEdge } from "../limits/counted-database.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Calling, type EscrowProcess, openProcess } from "./escrow-process.ts";
import { newAccount, newKey } from "./new-account.ts";

type ProcessOptions = Parameters<typeof openProcess>[2] & { mayFault?: boolean };

export function escrowWorld() {
  let database: TestDatabase;
  let db: Db;
  let opened: EscrowProcess[] = [];
  // Told after the test: thrown where it happens, it would end the ledger's rounds, and the test would wait for them.
  let faults: string[] = [];
  const fault = (error: unknown, what: string) => void faults.push(`${what}: ${String(error)}`);
  beforeAll(async () => {
    database = await freshDatabase();
    db = connect(database.url, { max: 4 });
  });
  beforeEach(() => awayFromMinuteEdge(20_000));
  afterEach(async () => {
    for (const { close } of opened) await close();
    opened = [];
    const told = faults;
    faults = [];
    expect(told).toEqual([]);
    expect(await audit(db)).toMatchObject({ mismatches: [], reservations_open: 0 });
  });
  afterAll(async () => {
    expect((await verifyChain(db)).broken).toBeNull();
    await db.close();
    await database.drop();
  });
  return {
    get db() {
      return db;
    },
    async processes(count: number, { mayFault = false, ...options }: ProcessOptions = {}): Promise<EscrowProcess[]> {
      const onFault = mayFault ? () => undefined : fault;
      const some = await Promise.all(Array.from({ length: count }, () => openProcess(database.url, onFault, options)));
      opened.push(...some);
      return some;
    },
    async richAccount(deposit = 10n ** 12n, limit: bigint | null = null): Promise<{ accountId: bigint; keyId: bigint }> {
      const accountId = await newAccount(db, { deposit });
      return { accountId, keyId: await newKey(db, accountId, limit) };
    },
  };
}

/** So many calls at the processes, so many at once at each; how many were served. */
export async function callAll(some: readonly EscrowProcess[], calls: number, calling: Calling, atOnce = 16): Promise<number> {
  let left = calls;
  let served = 0;
  const caller = async (one: EscrowProcess) => {
    while (left-- > 0) if (await one.call(calling)) served += 1;
  };
  await Promise.all(some.flatMap((one) => Array.from({ length: atOnce }, () => caller(one))));
  return served;
}

/** How many statements of a function were sent. */
export const sum = (some: readonly EscrowProcess[], name: string) => some.reduce((all, { sent }) => all + (sent[name] ?? 0), 0);

export async function countOf(db: Db, accountId: bigint, bucket: string): Promise<number> {
  const { rows } = await db.pool.query<{ n: bigint }>(
    "select coalesce(sum(n), 0)::bigint as n from rate_window where account_id = $1 and bucket = $2",
    [accountId, bucket],
  );
  return Number(rows[0]!.n);
}

/** With a slice open all the while: eight callers in turn, none in step with another. */
export async function whileInUse<Result>(one: EscrowProcess, calling: Calling, work: () => Promise<Result>): Promise<Result> {
  let isOver = false;
  const callers = Array.from({ length: 8 }, async () => {
    while (!isOver) await one.call(calling);
  });
  try {
    await eventually(async () => expect(await unusedOf(one.db, calling.accountId)).toBeGreaterThan(0n), 5);
    return await work();
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
}

/** What open slices hold. */
export async function unusedOf(db: Db, accountId: bigint): Promise<bigint> {
  const { rows } = await db.pool.query<{ amount: bigint }>(
    "select coalesce(sum(amount), 0)::bigint as amount from hold where account_id = $1 and pool = 'escrow'",
    [accountId],
  );
  return rows[0]!.amount;
}

/** Gives back all that an account holds, as the sweep of another process does. */
export const giveBackHolds = (db: Db, accountId: bigint) => changeHolds(db, accountId, "delete from hold h using");

/** What an account holds is changed under the lock of its balance, as everywhere: else two changes could each wait for the other. */
export async function changeHolds(db: Db, accountId: bigint, change: string): Promise<void> {
  await db.pool.query(
    `with locked as materialized (select account_id from balance where account_id = $1 for no key update)
     ${change} locked l where h.account_id = l.account_id`,
    [accountId],
  );
}
