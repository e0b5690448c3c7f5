// What a request reads stays bounded however much there is: every read path and every hot statement follows an index and touches a few pages,
// on a database of several months. SVC_PLANS=write writes deploy/read-paths.md.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccounts } from "../../src/accounts/accounts.ts";
import { authenticateSession } from "../../src/accounts/sessions.ts";
import { everyKeyLike, findKeys, listKeys } from "../../src/accounts/key-records.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { makeToken } from "../../src/accounts/tokens.ts";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import { systemClock } from "../../src/clock.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { uuidv7 } from "../../src/ids.ts";
import { claimJobs, renewLeases } from "../../src/jobs/claim.ts";
import { readJob, readJobs } from "../../src/jobs/read-jobs.ts";
import { tierLimits } from "../../src/jobs/submit-request.ts";
import { jobTimes } from "../../src/jobs/parts.ts";
import { readBalance, readLimitedKey, readMediaHolds } from "../../src/ledger/balance.ts";
import { findEntry, readEntries, readEntriesOf } from "../../src/ledger/entries.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { type LogFilter, readLog, readLogs } from "../../src/ledger/read-usage-log.ts";
import { openCounters } from "../../src/limits/counters.ts";
import { readLimitUse } from "../../src/limits/use.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { explainQueries } from "./explain-queries.ts";
import { accountsCount, fillDatabase, months, rowsCount } from "./fill-database.ts";

/** The account with half of all rows, one with a fortieth of the log by one key, and one with its share of the rest. */
const large = 1n;
const middling = 2n;
const usual = 7n;
const page = 51;
const day = 24 * 60 * 60 * 1000;

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  await fillDatabase(db);
});
afterAll(async () => {
  await db.close();
  await database.drop();
  if (process.env["SVC_PLANS"] === "write") writeFileSync(join(import.meta.dirname, "../../deploy/read-paths.md"), pageOf(touched));
});

/** By the test: how many statements it sent, and the pages of all of them. */
const touched: { test: string; statements: number; pages: number; most: number }[] = [];

/** Of every statement that the work sends. `walks`: small tables that may be read whole. */
async function expectBounded(work: () => Promise<unknown>, most: number, walks: readonly string[] = []): Promise<void> {
  const explained = await explainQueries(db, work);
  expect(explained.length).toBeGreaterThan(0);
  const pages = explained.reduce((sum, { buffers }) => sum + buffers, 0);
  touched.push({ test: expect.getState().currentTestName ?? "", statements: explained.length, pages, most });
  for (const { text, buffers, walked } of explained) {
    expect(
      walked.filter((table) => !walks.includes(table)),
      text,
    ).toEqual([]);
    expect(buffers, text).toBeLessThan(most);
  }
}

describe("the usage log", () => {
  const ago = (days: number) => new Date(Date.now() - days * day);
  const filters: Record<string, LogFilter> = {
    "the newest": {},
    "older than a place months ago": { after: { createdAt: ago(60), id: randomUUID() } },
    "between two times": { from: ago(50), to: ago(40) },
    "of a model": { model: "test/usual" },
    "of a model that is rare": { model: "test/rare" },
    "of a model that has none": { model: "test/none" },
    "of another type": { type: "image" },
    "of a type that has none": { type: "video" },
    "that failed": { status: "failed" },
    "that succeeded": { status: "success" },
    "of its key": { keyIds: [large] },
    "of a key that has none": { keyIds: [usual] },
    "that failed, of a model, before a place": { status: "failed", model: "test/usual", after: { createdAt: ago(10), id: randomUUID() } },
  };
  test.each(Object.entries(filters))("a page of a large account, %s: a few hundred pages of 5 months", async (_, filter) => {
    // A row lies on a page of its own, and each month is entered by its index.
    await expectBounded(() => readLogs(db, large, filter, page), 400);
  });
  test.each(
    Object.entries({
      "its only key": { keyIds: [middling] },
      "its only key, before a place": { keyIds: [middling], after: { createdAt: ago(20), id: randomUUID() } },
      "its only key, that succeeded": { keyIds: [middling], status: "success" },
    } satisfies Record<string, LogFilter>),
  )("a page of a middling account, of %s: not all of the key's 2,000 rows", async (_, filter) => {
    await expectBounded(() => readLogs(db, middling, filter, page), 400);
  });
  test("one request, and one that is not there", async () => {
    await expectBounded(() => readLog(db, usual, "req_11"), 60);
    await expectBounded(() => readLog(db, large, "req_none"), 60);
  });
});

describe("the ledger's readers", () => {
  const reads: Record<string, [() => Promise<unknown>, number]> = {
    "the newest entries": [() => readEntries(db, large, { before: null, type: null }, page), 80],
    "entries before a place": [() => readEntries(db, large, { before: 30_000n, type: null }, page), 80],
    "charges alone": [() => readEntries(db, large, { before: null, type: "usage" }, page), 80],
    "purchases alone": [() => readEntries(db, large, { before: null, type: "purchase" }, page), 20],
    "a type that has none": [() => readEntries(db, large, { before: null, type: "refund" }, page), 20],
    "the entries of one request": [() => readEntriesOf(db, large, "00000000-0000-7000-8000-000000000010"), 20],
    "an entry's place": [() => findEntry(db, large, "led_500"), 10],
    "the balance": [() => readBalance(db, large), 10],
    "media holds": [() => readMediaHolds(db, large), 30],
    "what a key may spend": [() => readLimitedKey(db, large), 20],
  };
  test.each(Object.entries(reads))("%s", async (_, [read, most]) => expectBounded(read, most));
});

describe("other reads", () => {
  const reading = { db, catalog: { tiers: shippedTiers } } as Parameters<typeof readJobs>[0];
  const withDb = () => ({ ...reading, db });
  const reader = { accountId: large, purchased: 0n, assignedTier: null };
  const reads: Record<string, [() => Promise<unknown>, number]> = {
    "limits and their use": [() => readLimitUse(db, large), 60],
    "the keys": [() => listKeys(db, large), 30],
    "a key by its masked form": [() => findKeys(db, "svc_AbCd…0007", usual), 20],
    "keys of a filter": [() => everyKeyLike(db, { text: "key_7", accountId: usual }), 20],
    "jobs, the newest": [() => readJobs(withDb(), reader, {}, page), 120],
    "jobs of a rare model": [() => readJobs(withDb(), reader, { model: "test/rare" }, page), 60],
    "jobs that failed: none did": [() => readJobs(withDb(), reader, { statuses: ["failed"] }, page), 20],
    "jobs before a place": [() => readJobs(withDb(), reader, { before: 5_000n }, page), 120],
    "one job": [() => readJob(withDb(), reader, "00000000-0000-7000-9000-000000000010"), 20],
    "who has a session": [() => authenticateSession(db, systemClock, makeToken("session").secret), 20],
    "who has a session, in another's workspace": [
      () => authenticateSession(db, systemClock, makeToken("session").secret, `ws_${"0".repeat(32)}`),
      20,
    ],
  };
  test.each(Object.entries(reads))("%s", async (_, [read, most]) => expectBounded(read, most));

  test("who has a key", async () => {
    const accounts = await createAccounts(db, { listenUrl: database.url, clock: systemClock, onFault: () => undefined });
    await expectBounded(() => accounts.authenticateKey(makeKey().secret), 20);
    await accounts.close();
  });
});

describe("hot statements", () => {
  const batch = 100;
  const ofBatch = <T>(make: (accountId: bigint, index: number) => T): T[] =>
    Array.from({ length: batch }, (_, index) => make(index % 2 === 0 ? large : BigInt(2 + ((index * 37) % (accountsCount - 2))), index));

  test("a batch of reservations and one of settlements cost the same pages a call, whatever lies in the tables", async () => {
    const ledger = await openLedger(db, () => undefined);
    const calls = ofBatch((accountId) => ({ accountId, keyId: accountId, id: uuidv7(new Date()) }));
    const reserve = () => Promise.all(calls.map((call) => ledger.reserve({ ...call, want: 10n, least: 10n })));
    // The heartbeat sweeps: it reads the holds, which are the calls in flight, and the replicas.
    await expectBounded(reserve, 60 * batch, ["replica", "hold"]);
    const at = new Date();
    const settle = () =>
      Promise.all(
        calls.map(({ accountId, id }) =>
          ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost: 5n, at, keyId: accountId, reserved: 10n }) }),
        ),
      );
    await expectBounded(settle, 150 * batch, ["replica", "hold"]);
    await ledger.close();
  });

  test("a batch of takes", async () => {
    const counters = openCounters(db, () => undefined);
    const take = { seconds: 60, amount: 1, limit: 100 };
    const takes = () =>
      Promise.all(
        ofBatch((accountId) =>
          counters.take([
            { accountId, bucket: "rpm", ...take },
            { accountId, bucket: "tpm", ...take },
          ]),
        ),
      );
    await expectBounded(takes, 80 * batch);
    await counters.close();
  });

  test("sweeps and claims read what is open, not what has ended", async () => {
    const leasing = { db, owner: randomUUID(), times: jobTimes };
    await expectBounded(() => claimJobs(leasing, 32), 300);
    await expectBounded(() => renewLeases(leasing, ["00000000-0000-7000-9000-000000000010"]), 30);
    const tiers = tierLimits(shippedTiers);
    await expectBounded(() => db.pool.query("select account_id from media_untidy($1, '1 hour', '1 hour') u(account_id)", [tiers]), 3_000);
    // At most a look at its replica for each of 5,000 holds.
    await expectBounded(() => db.pool.query("select ledger_sweep('9 seconds')"), 12_000, ["replica", "hold"]);
  });
});

test("a statement that walks the log is found", async () => {
  const [found] = await explainQueries(db, () => db.pool.query("select count(*) from usage_log where latency_ms = $1", [2]));
  expect(found!.walked.length).toBeGreaterThan(3);
  expect(found!.buffers).toBeGreaterThan(rowsCount / 100);
});

function pageOf(measured: typeof touched): string {
  const rows = measured.map(
    ({ test, statements, pages, most }) => `| ${test.replaceAll(" > ", ": ")} | ${statements} | ${pages} | ${most} |`,
  );
  return `# What reads and hot statements touch

Written by \`SVC_PLANS=write npx vitest run test/deploy/plans.test.ts\`, on ${rowsCount.toLocaleString("en")} rows of the log and as many entries of
${accountsCount.toLocaleString("en")} accounts over ${months} months, half of them one account's. Every test run checks each statement against its bound and fails where
one reads a whole table, except tables that hold only what is in flight. A dot separates what a test does in turn.

| what | statements | pages of 8 KB, all together | at most, each |
|---|---|---|---|
${rows.join("\n")}
`;
}
