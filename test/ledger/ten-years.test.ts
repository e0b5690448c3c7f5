// Ten years of usage log: what its 120 months add to a settlement, to a receipt and to a page of the log, and which of them retention drops.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import { dropPartitions } from "../../src/db/partitions.ts";
import { newRequestId } from "../../src/ids.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { logId, parseLogId, readLog, readLogs } from "../../src/ledger/read-usage-log.ts";
import { sendAny, sendUsual, type Settlement } from "../../src/ledger/settlement.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeMonths } from "../support/log-months.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let ledger: Ledger;
let account: bigint;
/** What a settlement touched before the old months were there. */
let usual: Touched;
const yearMs = 365.25 * 24 * 3600 * 1000;
const months = 120;

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  ledger = await openLedger(db, (error) => expect.fail(String(error)));
  account = await newAccount(db, { deposit: 1_000_000n });
  usual = await settleOne(sendUsual);
  await makeMonths(db, months);
  // A call a day for ten years, and a hundred today.
  await db.pool.query(
    `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
     select $1, now() - n * interval '1 day' - interval '1 hour', gen_random_uuid(), 'mine_' || n, 'createChatCompletion', 'm', 'success', 200, 0, 0,
       '{}', '[]', false, 1 from (select generate_series(0, 3640) union all select 0 from generate_series(1, 100)) d(n)`,
    [account],
  );
  await db.pool.query("analyze usage_log");
});
afterAll(async () => {
  await ledger.close();
  await db.close();
  await database.drop();
});

interface Touched {
  /** Months of the log that are locked at the end. */
  months: string[];
  /** Pages, in memory or not. */
  pages: number;
}

type Send = (db: Db, items: readonly Settlement[]) => Promise<unknown>;

/** Of three, the one with the fewest pages: what other databases of the server do may empty a connection's caches at any moment. */
async function settleOne(send: Send): Promise<Touched> {
  const all = [await settleOnce(send), await settleOnce(send), await settleOnce(send)];
  return all.reduce((least, one) => (one.pages < least.pages ? one : least));
}

async function settleOnce(send: Send): Promise<Touched> {
  const settlement = async (): Promise<Settlement> => {
    const id = randomUUID();
    await ledger.reserve({ accountId: account, id, want: 100n, least: 100n });
    return { accountId: account, id, log: usageLogRow({ accountId: account, id, cost: 40n, reserved: 100n, at: new Date() }) };
  };
  const [first, second] = [await settlement(), await settlement()];
  return await inTransaction(db, async (transaction) => {
    await send(transaction as unknown as Db, [first]); // loads what a connection keeps
    let pages = 0;
    const query = async (sql: string, values: unknown[]) => {
      const { rows } = await transaction.pool.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, format text) ${sql}`, values);
      const buffers = rows.map((row) => row["QUERY PLAN"]).find((line) => line.includes("Buffers:")) ?? "";
      pages = [...buffers.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
      return { rows: [{ balances: [0n] }] };
    };
    await send({ pool: { query } } as unknown as Db, [second]);
    const { rows } = await transaction.pool.query<{ name: string }>(
      `select distinct c.relname as name from pg_locks l join pg_class c on c.oid = l.relation
       where l.pid = pg_backend_pid() and c.relname ~ '^usage_log_[0-9_]+$' order by 1`,
    );
    return { months: rows.map(({ name }) => name), pages };
  });
}

const monthOf = (time: Date) => `usage_log_${time.toISOString().slice(0, 7).replace("-", "_")}`;

test.each([
  ["usual", sendUsual],
  ["slower", sendAny],
] as const)("a settlement by the %s form locks its own month alone and reads no more pages than with a few months", async (_, send) => {
  const { months, pages } = await settleOne(send);
  expect(months).toEqual([monthOf(new Date())]);
  expect(usual.months).toEqual(months);
  expect(usual.pages).toBeGreaterThan(10);
  if (send === sendUsual) expect(pages).toBeLessThanOrEqual(usual.pages + 10);
});

/** Months that the plans of a read name, run or not, and the pages that it took, its planning apart. */
async function reading(read: (explaining: Queries) => Promise<unknown>): Promise<{ planned: number; pages: number }> {
  const planned = new Set<string>();
  let pages = 0;
  const query = async (sql: string, values: unknown[]) => {
    const { rows } = await db.pool.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
      values,
    );
    const [{ Plan }] = rows[0]!["QUERY PLAN"];
    for (const [name] of JSON.stringify(Plan).matchAll(/usage_log_\d{4}_\d\d(?=")/g)) planned.add(name);
    pages += Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!;
    return await db.pool.query(sql, values);
  };
  await read({ pool: { query } } as unknown as Queries);
  return { planned: planned.size, pages };
}

const near = 7; // two months, the one they begin in, and those that are made ahead

test("the newest page plans a few months, reads its rows and no more", async () => {
  const { planned, pages } = await reading((explaining) => readLogs(explaining, account, {}, 51));
  expect(planned).toBeLessThanOrEqual(near);
  expect(pages).toBeLessThanOrEqual(60);
});

test("a page of nine years ago as well, after a place or of a time", async () => {
  const then = new Date(Date.now() - 9 * yearMs);
  for (const filter of [{ after: { createdAt: then, id: randomUUID() } }, { to: then }]) {
    const { planned, pages } = await reading((explaining) => readLogs(explaining, account, filter, 51));
    expect(planned).toBeLessThanOrEqual(near);
    expect(pages).toBeLessThanOrEqual(100);
  }
});

test("pages follow one another through ten years without a gap or a row twice", async () => {
  const seen: string[] = [];
  for (let after: ReturnType<typeof parseLogId>; ;) {
    const rows = await readLogs(db, account, { after }, 400);
    seen.push(...rows.map(({ id }) => id));
    if (rows.length < 400) break;
    after = parseLogId(logId(rows.at(-1)!));
  }
  const { rowCount } = await db.pool.query("select 1 from usage_log where account_id = $1", [account]);
  expect(rowCount).toBeGreaterThan(3_700);
  expect([seen.length, new Set(seen).size]).toEqual([rowCount, rowCount]);
});

test("few rows that match are found wherever they are", async () => {
  const at = new Date(Date.now() - 8 * yearMs);
  await db.pool.query(
    "update usage_log set model = 'rare' where account_id = $1 and created_at between $2::timestamptz - interval '3 days' and $2",
    [account, at],
  );
  expect(await readLogs(db, account, { model: "rare" }, 51)).toHaveLength(3);
});

test("a receipt's row plans a few months: a new one's, and one of nine years ago whose id has its time", async () => {
  const at = new Date(Date.now() - 9 * yearMs);
  const old = newRequestId(at);
  await db.pool.query("update usage_log set request_id = $2, created_at = $3 where account_id = $1 and request_id = 'mine_3200'", [
    account,
    old,
    at,
  ]);
  for (const id of ["mine_3", old]) {
    const { planned, pages } = await reading((explaining) => readLog(explaining, account, id));
    expect([id, planned <= near + 2, pages <= 30]).toEqual([id, true, true]);
  }
  expect((await readLog(db, account, old))!.created_at).toEqual(at);
});

test("an id that its caller chose is found in any month: three pages of each", async () => {
  expect(await readLog(db, account, "mine_3100")).toMatchObject({ request_id: "mine_3100" });
  const { pages } = await reading((explaining) => readLog(explaining, account, "mine_none"));
  expect(pages).toBeLessThanOrEqual(3 * (months + 5));
});

test("of a request id that came twice, years apart, the newer row", async () => {
  await db.pool.query("update usage_log set request_id = 'twice' where account_id = $1 and request_id in ('mine_10', 'mine_2000')", [
    account,
  ]);
  expect((await readLog(db, account, "twice"))!.created_at.getTime()).toBeGreaterThan(Date.now() - 11 * 24 * 3600 * 1000);
});

test("retention of ten years drops exactly the months that ended more than ten years ago", async () => {
  expect(await dropPartitions(db, 120)).toEqual([]);
  const over = await makeMonths(db, 124);
  expect(over).toHaveLength(4);
  expect(await dropPartitions(db, 120)).toEqual(over);
  expect(await dropPartitions(db, 120)).toEqual([]);
});
