// The query plans of the usage log: a read touches what it shows and little more, however long an account's history is.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db, inTransaction, type Queries } from "../../src/db/connect.ts";
import { type LogFilter, logId, parseLogId, readAnyLog, readLog, readLogs, readRouteFigures } from "../../src/ledger/read-usage-log.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let account: bigint;
let other: bigint;
const monthMs = 31 * 24 * 3600 * 1000;
const now = new Date("2026-06-20T12:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);

beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 2 });
  [account, other] = [await newAccount(db), await newAccount(db)];
  for (const month of ["01", "02", "03", "04", "05", "06"])
    await db.pool.query(
      `create table usage_log_2026_${month} partition of usage_log for values from ('2026-${month}-01Z') to (timestamptz '2026-${month}-01Z' + interval '1 month')`,
    );
  // 24,000 rows, one every 10 minutes of four months and a half; one in a thousand failed, is for an image, by key 2 or of a rare model.
  for (const [accountId, count] of [
    [account, 20_000],
    [other, 4_000],
  ] as const)
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, cost, reserved, prices,
         attempts, stream, latency_ms)
       select $1, $2::timestamptz - n * interval '10 minutes', gen_random_uuid(), 'req_' || n, case when n % 1000 = 1 then 2 else 1 end,
         'createChatCompletion', case when n % 1000 = 2 then 'demo/rare' else 'demo/chat' end, case when n % 1000 = 3 then 'image' else 'language' end,
         case when n % 1000 = 4 then 'failed' else 'success' end, 200, 0, 0, '{}', '[]', false, 1 from generate_series(0, $3::int - 1) n`,
      [accountId, now, count],
    );
  await db.pool.query("vacuum analyze usage_log");
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Those that the migrations made, which are empty. */
async function newerMonths(): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_log'::regclass and inhrelid::regclass::text > 'usage_log_2026_06'",
  );
  return rows.map(({ name }) => name);
}

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Node[];
}

/** What a read did to the log: how it went through its partitions, and how many rows it looked at. */
async function planOf(read: (explaining: Queries) => Promise<unknown>): Promise<{ partitions: string[]; scans: string[]; rows: number }> {
  const plans: Node[] = [];
  const query = async (sql: string, values: unknown[]) => {
    const { rows } = await db.pool.query<{ "QUERY PLAN": { Plan: Node }[] }>(`explain (analyze, format json) ${sql}`, values);
    plans.push(rows[0]!["QUERY PLAN"][0]!.Plan);
    return await db.pool.query(sql, values);
  };
  await read({ pool: { query } as unknown as Queries["pool"] });
  const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const all = plans.flatMap(nodes);
  // January and the months to come are empty, and an empty table is read fastest whole.
  const touched = all.filter((node) => /^usage_log_2026_0[2-6]/.test(node["Relation Name"] ?? "") && node["Actual Loops"] > 0);
  const indexes = all.filter((node) => node["Node Type"] === "Bitmap Index Scan");
  return {
    partitions: [...new Set(touched.map((node) => node["Relation Name"]!))].sort(),
    scans: [...new Set([...touched, ...indexes].map((node) => node["Node Type"]))],
    rows: touched.reduce((sum, node) => sum + node["Actual Rows"] * node["Actual Loops"] + (node["Rows Removed by Filter"] ?? 0), 0),
  };
}

const pages: [string, LogFilter][] = [
  ["without a filter", {}],
  ["a page in the middle", { after: { createdAt: ago(60 * 24 * 3600 * 1000), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" } }],
  ["of a time", { from: ago(2 * monthMs), to: ago(monthMs) }],
  ["of a common model", { model: "demo/chat" }],
  ["of a rare model", { model: "demo/rare" }],
  ["of a model without calls", { model: "demo/none" }],
  ["of a common key", { keyIds: [1n] }],
  ["of a rare key", { keyIds: [2n] }],
  ["of a key that was never used", { keyIds: [3n] }],
  ["of successes", { status: "success" }],
  ["of failures", { status: "failed" }],
  ["of the common type", { type: "language" }],
  ["of a rare type", { type: "image" }],
  ["of a type without models", { type: "video" }],
];

describe("a page reads indexes, and no more than a few pages' rows", () => {
  test.each(pages)("%s", async (_, filter) => {
    const { scans, rows } = await planOf((explaining) => readLogs(explaining, account, filter, 51));
    expect(scans.filter((scan) => scan.includes("Seq"))).toEqual([]);
    expect(rows).toBeLessThanOrEqual(120);
  });

  test("the receipt's row", async () => {
    const { scans, rows } = await planOf((explaining) => readLog(explaining, account, "req_19999"));
    expect(scans.filter((scan) => scan.includes("Seq"))).toEqual([]);
    expect(rows).toBeLessThanOrEqual(1);
  });
});

describe("what an operator looks up, of any account", () => {
  test("a call by its request's id: by an index, one row", async () => {
    const { scans, rows } = await planOf((explaining) => readAnyLog(explaining, "req_19999"));
    expect(scans.filter((scan) => scan.includes("Seq"))).toEqual([]);
    expect(rows).toBeLessThanOrEqual(1);
  });

  test("the calls of the last minutes: the pages of that time, by an index over all", async () => {
    // A month that ends tomorrow: on the first day of a real one its few rows are read whole, and rightly.
    for (const month of await newerMonths()) await db.pool.query(`drop table ${month}`);
    await db.pool.query(
      "create table usage_log_lately partition of usage_log for values from (now() - interval '30 days') to (now() + interval '1 day')",
    );
    // 60,000 rows of 500 accounts, one every half minute up to now, as they are written: in the order of their time.
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
       select 1000 + n % 500, now() - n * interval '30 seconds', gen_random_uuid(), 'req_now_' || n, 'createChatCompletion', 'm', 'success', 200, 0, 0, '{}',
         '[{"route": "north/chat", "outcome": "ok"}]', false, 1 from generate_series(60000, 0, -1) n`,
    );
    await db.pool.query("vacuum analyze usage_log");
    /** What the planner does by itself, and what it does where the time's own index is all that it may use. */
    const planWith = (settings: string) =>
      inTransaction(db, async ({ pool }) => {
        await pool.query(settings);
        const plan: string[] = [];
        const query = async (sql: string, values: unknown[]) => {
          const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain (analyze, timing off) ${sql}`, values);
          plan.push(...rows.map((row) => row["QUERY PLAN"]));
          return { rows: [] };
        };
        await readRouteFigures({ pool: { query } as unknown as Queries["pool"] }, 5);
        return plan;
      });
    // At this size the planner now and then prefers to go through another index, of accounts: never through a month's rows.
    const usual = await planWith("");
    expect(usual.filter((line) => /Rows Removed by Filter: \d{3}/.test(line))).toEqual([]);
    expect(usual.filter((line) => /Seq Scan on usage_log_2026_0[2-6]/.test(line) && !line.includes("never executed"))).toEqual([]);
    const byTime = (await planWith("set local enable_indexscan = off; set local enable_seqscan = off")).join("\n");
    expect(byTime).toContain("Bitmap Index Scan on usage_log_lately_created_at_idx");
    const blocks = [...byTime.matchAll(/Heap Blocks:.* lossy=(\d+)/g)].map(([, count]) => Number(count));
    expect(blocks.length).toBeGreaterThan(0);
    for (const count of blocks) expect(count).toBeLessThanOrEqual(64); // two ranges of 32, of some 1,800
    expect(await readRouteFigures(db, 5)).toMatchObject([
      { route: "north/chat", outcome: "ok", cause: null, count: expect.closeTo(10, -1) as number },
    ]);
  });
});

describe("time decides which months are opened", () => {
  test("the newest page opens the months up to where it is full", async () => {
    const { partitions } = await planOf((explaining) => readLogs(explaining, account, { to: now }, 51));
    expect(partitions).toEqual(["usage_log_2026_06"]);
  });

  test.each<[string, LogFilter, string[]]>([
    ["from and to", { from: new Date("2026-03-05Z"), to: new Date("2026-03-06Z") }, ["usage_log_2026_03"]],
    ["after", { after: { createdAt: new Date("2026-02-20Z"), id: "ffffffff-ffff-ffff-ffff-ffffffffffff" } }, ["usage_log_2026_02"]],
    ["from with a rare filter", { from: new Date("2026-06-01Z"), to: now, status: "failed" }, ["usage_log_2026_06"]],
  ])("%s", async (_, filter, expected) => {
    expect((await planOf((explaining) => readLogs(explaining, account, filter, 51))).partitions).toEqual(expected);
  });
});

describe("pages", () => {
  test("follow one another without a gap or a row twice, also within one millisecond", async () => {
    const third = await newAccount(db);
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
       select $1, $2::timestamptz - (n / 7) * interval '1 ms', gen_random_uuid(), 'req_' || n, 'createChatCompletion', 'm', 'success', 200, 0, 0, '{}', '[]', false, 1
       from generate_series(0, 99) n`,
      [third, now],
    );
    const seen: string[] = [];
    for (let after: LogFilter["after"]; ;) {
      const rows = await readLogs(db, third, { after }, 9);
      seen.push(...rows.map(({ id }) => id));
      if (rows.length < 9) break;
      after = parseLogId(logId(rows.at(-1)!))!;
    }
    expect(seen).toHaveLength(100);
    expect(new Set(seen).size).toBe(100);
  });

  test("an id names a position even where there is no row, in the farthest future as well", async () => {
    expect(await readLogs(db, other, { after: parseLogId(`log_${"f".repeat(44)}`) }, 1)).toHaveLength(1);
    expect(await readLogs(db, other, { after: parseLogId(`log_${"0".repeat(44)}`) }, 1)).toEqual([]);
  });
});
