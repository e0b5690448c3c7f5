// Which months of the usage log go and which stay, and that replicas may tidy at once.
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { dropPartitions, ensurePartitions, keepPartitions } from "../../src/db/partitions.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;
beforeEach(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

const nothing = () => undefined;

/** `2026-11` of so many months ago. */
function month(ago: number): { name: string; from: string; to: string } {
  const now = new Date();
  const start = (back: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString();
  return { name: `usage_log_${start(ago).slice(0, 7).replace("-", "_")}`, from: start(ago), to: start(ago - 1) };
}

async function add(ago: number): Promise<string> {
  const { name, from, to } = month(ago);
  await db.pool.query(`create table ${name} partition of usage_log for values from ('${from}') to ('${to}')`);
  return name;
}

async function addRow(ago: number): Promise<void> {
  await db.pool.query("insert into account (email, email_norm) values ('a@example.com', 'a@example.com') on conflict do nothing");
  await db.pool.query(
    `insert into usage_log (account_id, created_at, id, request_id, operation, model, status, http_status, cost, reserved, prices, attempts, stream, latency_ms)
     select id, $1, gen_random_uuid(), 'req_' || $2, 'createChatCompletion', 'm', 'success', 200, 0, 0, '{}', '[]', false, 1 from account`,
    [month(ago).from, String(ago)],
  );
}

async function partitions(): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_log'::regclass order by 1",
  );
  return rows.map(({ name }) => name);
}

test("every month, old or to come, knows which keys are whose, however often it is tended", async () => {
  const statistics = async () =>
    (
      await db.pool.query<{ part: string; name: string; kinds: string }>(
        `select stxrelid::regclass::text as part, stxname as name, stxkind::text || ' ' || pg_get_statisticsobjdef_columns(oid) as kinds
         from pg_statistic_ext order by 1`,
      )
    ).rows;
  const expected = async () => (await partitions()).map((part) => ({ part, name: `${part}_key`, kinds: "{f} account_id, key_id" }));
  expect(await statistics()).toEqual(await expected()); // the migration's own
  const old = await add(20);
  await addRow(20);
  await db.pool.query(`drop table ${month(-3).name}`);
  for (let times = 0; times < 2; times += 1) {
    await ensurePartitions(db);
    expect(await partitions()).toEqual(expect.arrayContaining([old, month(-3).name]));
    expect(await statistics()).toEqual(await expected());
  }
  // At once: a month that is over is never analyzed by itself.
  expect((await db.pool.query("select tablename from pg_stats_ext where inherited = false")).rows).toEqual([{ tablename: old }]);
});

test("a month goes once it ended more than so many months ago; its rows go with it, the others stay", async () => {
  const usual = await partitions();
  const old = [await add(40), await add(4)];
  const young = [await add(3), await add(2)];
  for (const ago of [4, 3]) await addRow(ago);
  expect(await dropPartitions(db, 3)).toEqual(old);
  expect(await partitions()).toEqual([...young, ...usual].sort());
  expect((await db.pool.query("select request_id from usage_log")).rows).toEqual([{ request_id: "req_3" }]);
  expect(await dropPartitions(db, 3)).toEqual([]);
});

test("a month goes at the bound itself and not a month before", async () => {
  const edge = await add(2); // ended one whole month before this one began
  expect(await dropPartitions(db, 2)).toEqual([]);
  expect(await dropPartitions(db, 1)).toEqual([edge]);
});

test("0 keeps everything", async () => {
  await add(300);
  const before = await partitions();
  expect(await dropPartitions(db, 0)).toEqual([]);
  await keepPartitions(db, { usageLogMonths: 0, onFault: nothing }).stop();
  expect(await partitions()).toEqual(before);
});

test("the current month and those to come never go", async () => {
  await dropPartitions(db, 1);
  for (const ago of [0, -1, -2, -3]) expect(await partitions()).toContain(month(ago).name);
});

test("a start tidies by itself, in several replicas at once", async () => {
  const old = await add(20);
  const faults: unknown[] = [];
  const options = { usageLogMonths: 13, onFault: (error: unknown) => void faults.push(error) };
  const replicas = Array.from({ length: 4 }, () => keepPartitions(db, options));
  await Promise.all(replicas.map((replica) => replica.stop()));
  expect(faults).toEqual([]);
  expect(await partitions()).not.toContain(old);
  await ensurePartitions(db);
});

test("a table that somebody reads for long is left for another day, and nobody waits behind the attempt", async () => {
  const old = await add(20);
  const reader = await db.pool.connect();
  await reader.query("begin");
  await reader.query(`select count(*) from ${old}`);
  await expect(dropPartitions(db, 13)).rejects.toThrow("lock timeout");
  expect(await partitions()).toContain(old);
  await reader.query("commit");
  reader.release();
  expect(await dropPartitions(db, 13)).toEqual([old]);
});
