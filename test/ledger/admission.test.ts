// Counting and holding in one statement: all of an account's calls or nothing, whatever changes meanwhile; and with the slower way behind it,
// exact counts over several processes.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAdmission } from "../../src/calls/admit.ts";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import type { AdmitRequest } from "../../src/ledger/admission.ts";
import { audit } from "../../src/ledger/audit.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { type Counters, openCounters } from "../../src/limits/counters.ts";
import { awayFromMinuteEdge } from "../limits/counted-database.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { loseAnswer } from "../support/failing-statements.ts";
import { untilWaiting } from "../support/locks.ts";
import { highTiers } from "../support/tiers.ts";
import { newAccount, newKey } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let operator: Db;
let ledger: Ledger;
let counters: Counters;
const fault = (error: unknown) => expect.fail(String(error));
beforeAll(async () => {
  database = await freshDatabase();
  [db, operator] = [connect(database.url, { max: 4 }), connect(database.url, { max: 2 })];
  ledger = await openLedger(db, fault);
  counters = openCounters(db, fault);
});
beforeEach(() => awayFromMinuteEdge());
afterAll(async () => {
  expect((await audit(db)).mismatches).toEqual([]);
  await counters.close();
  await ledger.close();
  await operator.close();
  await db.close();
  await database.drop();
});

const bound = { rpm: 10, day: null };

/** An account of 1,000 units, with a key of 500 and both windows of this minute. */
async function openAccount(deposit = 1_000n) {
  const accountId = await newAccount(db, { deposit });
  const keyId = await newKey(db, accountId, deposit / 2n);
  await counters.take(["rpm", "day"].map((bucket) => ({ accountId, bucket, seconds: 60, amount: 0, limit: null })));
  const request = (more: Partial<AdmitRequest> = {}): AdmitRequest => ({
    ...{ accountId, keyId, id: randomUUID(), want: 100n },
    windows: Object.entries(bound).map(([bucket, limit]) => ({ bucket, seconds: 60, amount: 1, limit })),
    ...more,
  });
  return { accountId, keyId, request };
}

/** All that an admission changes. */
async function stateOf(accountId: bigint): Promise<unknown> {
  const { rows } = await operator.pool.query<{ state: unknown }>(
    `select jsonb_build_array((select to_jsonb(b) from balance b where account_id = $1),
       (select jsonb_agg(to_jsonb(k) order by key_id) from key_budget k where account_id = $1),
       (select jsonb_agg(to_jsonb(w) order by bucket, starts_at) from rate_window w where account_id = $1),
       (select jsonb_agg(to_jsonb(h) order by id) from hold h where account_id = $1)) as state`,
    [accountId],
  );
  return rows[0]!.state;
}

async function countsOf(accountId: bigint): Promise<Record<string, number>> {
  const { rows } = await operator.pool.query<{ bucket: string; n: bigint }>("select bucket, n from rate_window where account_id = $1", [
    accountId,
  ]);
  return Object.fromEntries(rows.map(({ bucket, n }) => [bucket, Number(n)]));
}

describe("a batch whose calls fit", () => {
  test("is counted and held, and each call is told what it found, as if they had come one after another", async () => {
    const [one, other] = [await openAccount(), await openAccount()];
    const asked = [one.request(), other.request({ want: 7n, keyId: null }), one.request({ want: 50n }), one.request({ want: 0n })];
    expect(await Promise.all(asked.map(async (one) => ledger.admit(one)))).toMatchObject([
      { available: 1_000n, reserved: 0n, keyLeft: 500n, count: 1, previous: 0 },
      { available: 1_000n, reserved: 0n, keyLeft: null, count: 1 },
      { available: 900n, reserved: 100n, keyLeft: 400n, count: 2 },
      { available: 850n, reserved: 150n, keyLeft: 350n, count: 3 },
    ]);
    expect([await countsOf(one.accountId), await countsOf(other.accountId)]).toEqual([
      { rpm: 3, day: 3 },
      { rpm: 1, day: 1 },
    ]);
    const { rows } = await db.pool.query("select amount from hold where account_id = $1 order by amount", [one.accountId]);
    expect(rows).toEqual([{ amount: 0n }, { amount: 50n }, { amount: 100n }]);
  });

  test("is done once if its answer is lost: the repeated one finds its hold, and leaves the decision to the slower way", async () => {
    const { accountId, request } = await openAccount();
    loseAnswer(db, "admit_calls", () => Promise.resolve());
    expect(await ledger.admit(request())).toBeNull();
    expect(await countsOf(accountId)).toEqual({ rpm: 1, day: 1 });
    expect((await db.pool.query("select 1 from hold where account_id = $1", [accountId])).rowCount).toBe(1);
  });
});

describe("a call that may not fit is not admitted, nothing of its account is done, and other accounts' calls are", () => {
  type Request = Awaited<ReturnType<typeof openAccount>>["request"];
  const spend = (accountId: bigint, change: string) => operator.pool.query(change, [accountId]);
  test.each<[string, (accountId: bigint, request: Request) => Promise<AdmitRequest[]>]>([
    ["the balance is too small", async (_, request) => [request({ want: 1_001n, keyId: null })]],
    ["the key's budget is too small", async (_, request) => [request({ want: 501n })]],
    ["the balance pays for one of two", async (_, request) => [request({ want: 600n, keyId: null }), request({ want: 600n, keyId: null })]],
    ["the budget pays for one of two", async (_, request) => [request({ want: 300n }), request({ want: 300n })]],
    [
      "a limit is reached",
      async (accountId, request) => {
        await spend(accountId, "update rate_window set n = 10 where account_id = $1 and bucket = 'rpm'");
        return [request()];
      },
    ],
    ["a limit has room for ten of eleven", async (_, request) => Array.from({ length: 11 }, () => request({ want: 1n }))],
    [
      "the minute before was full",
      async (accountId, request) => {
        await spend(
          accountId,
          "insert into rate_window select account_id, bucket, starts_at - interval '1 minute', 60, 1000000 from rate_window where account_id = $1 and bucket = 'rpm'",
        );
        return [request()];
      },
    ],
    [
      "its window isn't there yet",
      async (accountId, request) => {
        await spend(accountId, "delete from rate_window where account_id = $1 and bucket = 'day'");
        return [request()];
      },
    ],
    ["the account isn't known", async (_, request) => [request({ accountId: 999_999n, keyId: null })]],
  ])("%s", async (_title, prepare) => {
    const [{ accountId, request }, neighbour] = [await openAccount(), await openAccount()];
    const asked = await prepare(accountId, request);
    const before = await stateOf(accountId);
    const [told, ...answers] = await Promise.all([neighbour.request(), ...asked].map(async (one) => ledger.admit(one)));
    expect(answers).toEqual(asked.map(() => null));
    expect(await stateOf(accountId)).toEqual(before);
    expect(told).toMatchObject({ available: 1_000n, count: 1 });
  });

  test.each<[string, (transaction: Queries, of: { accountId: bigint; keyId: bigint }) => Promise<unknown>]>([
    ["the limit", ({ pool }, { accountId }) => pool.query("update rate_window set n = 10 where account_id = $1", [accountId])],
    ["the key's budget", ({ pool }, { keyId }) => pool.query("update key_budget set limit_amount = 99 where key_id = $1", [keyId])],
    [
      "the balance",
      ({ pool }, { accountId }) =>
        pool.query(
          "insert into hold (account_id, id, amount, owner, expires_at) select $1, gen_random_uuid(), 950, id, now() + interval '1 minute' from replica",
          [accountId],
        ),
    ],
  ])("%s, used up in the moment in which the statement waits for it", async (_title, use) => {
    const { accountId, keyId, request } = await openAccount();
    const asked = await inTransaction(operator, async (transaction) => {
      await use(transaction, { accountId, keyId });
      const asking = ledger.admit(request());
      await untilWaiting(db, "admit_calls");
      return { asking };
    });
    const before = await stateOf(accountId);
    expect(await asked.asking).toBeNull();
    expect(await stateOf(accountId)).toEqual(before);
  });
});

test("decides as rate_take does, of any counts", async () => {
  const { accountId } = await openAccount();
  const set = (n: number, previous: number) =>
    operator.pool.query(
      `insert into rate_window select $1, 'long', to_timestamp(floor(extract(epoch from now()) / 86400) * 86400 - ago * 86400), 86400, n
       from unnest('{0,1}'::int[], array[$2, $3]::int[]) w(ago, n) on conflict (account_id, bucket, starts_at) do update set n = excluded.n`,
      [accountId, n, previous],
    );
  const long = (amount: number, limit: number) => ({ bucket: "long", seconds: 86_400, amount, limit });
  const count = fc.nat({ max: 200 });
  await fc.assert(
    fc.asyncProperty(count, count, fc.integer({ min: 1, max: 50 }), fc.nat({ max: 400 }), async (n, previous, amount, limit) => {
      await set(n, previous);
      const taken = await counters.take([{ accountId, ...long(amount, limit) }]);
      await set(n, previous);
      const admitted = await ledger.admit({
        ...{ accountId, keyId: null, id: randomUUID(), want: 0n },
        windows: [long(amount, limit)],
      });
      expect([admitted !== null, admitted?.count ?? n, admitted?.previous ?? previous]).toEqual([
        taken.refused === null,
        taken.first.current,
        taken.first.previous,
      ]);
    }),
    { numRuns: 100 },
  );
});

describe("with the slower way behind it, over three processes", () => {
  /** Each a process of its own, but for the Node that runs it. */
  async function processes() {
    return Promise.all(
      [1, 2, 3].map(async () => {
        const own = connect(database.url, { max: 4 });
        const [money, rates] = [await openLedger(own, fault), openCounters(own, fault)];
        const admitCall = openAdmission({ ledger: money, limits: { counters: rates }, clock: own.checks.now });
        const close = async () => {
          await rates.close();
          await money.close();
          await own.close();
        };
        return { admitCall, close };
      }),
    );
  }

  test.each([
    ["the limit of 130 requests a minute", { rpm: 130, deposit: 1_000_000n, key: false, k: 130 }],
    ["a balance that pays for 77", { rpm: 1_000_000, deposit: 7_799n, key: false, k: 77 }],
    ["a key's budget that pays for 38", { rpm: 1_000_000, deposit: 7_799n, key: true, k: 38 }],
  ])("%s lets exactly so many of 900 through", async (_title, { rpm, deposit, key, k }) => {
    await awayFromMinuteEdge(20_000);
    const all = await processes();
    const { accountId, keyId } = await openAccount(deposit);
    const caller = {
      accountId,
      keyId: key ? keyId : null,
      purchased: deposit,
      assignedTier: null,
      suspended: false,
      storesResponses: false,
      policy: null,
      session: null,
    };
    const catalog = { tiers: highTiers({ rpm }) };
    const call = { caller, model: { id: "demo/chat" }, tokens: { input: 1, output: 1 }, addHeaders: () => undefined };
    const ask = (n: number) =>
      all[n % 3]!.admitCall(catalog, call, { id: randomUUID(), want: 100n, least: 100n }).then(
        ({ reserved }) => reserved.granted !== null,
        () => false,
      );
    let through = 0;
    for (let round = 0; round < 9; round += 1)
      through += (await Promise.all(Array.from({ length: 100 }, (_, n) => ask(n)))).filter(Boolean).length;
    for (const { close } of all) await close();
    const { rowCount } = await db.pool.query("select 1 from hold where account_id = $1", [accountId]);
    expect([through, rowCount]).toEqual([k, k]);
  });
});
