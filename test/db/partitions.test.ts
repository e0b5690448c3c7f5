// Which months of the usage log go and which stay, and that replicas may tidy at once.
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { dropPartitions, ensureCurrentMonth, ensurePartitions, keepPartitions } from "../../src/db/partitions.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";

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

/** While somebody has the table of all months in this mode. */
async function whileLocked<T>(mode: string, work: () => Promise<T>): Promise<T> {
  return inTransaction(db, async ({ pool }) => {
    await pool.query(`lock table usage_log in ${mode} mode`);
    return work();
  });
}

test("a month is made while somebody reads the whole log for long, as a dump or an audit does", async () => {
  await db.pool.query(`drop table ${month(-3).name}`);
  await whileLocked("access share", async () => {
    await addRow(0);
    await ensurePartitions(db);
  });
  expect(await partitions()).toContain(month(-3).name);
});

test("while somebody tends the same table a month is given up soon, and no settlement waits behind the attempt", async () => {
  await db.pool.query(`drop table ${month(-3).name}`);
  await whileLocked("share update exclusive", async () => {
    const attempt = ensurePartitions(db).catch((error: unknown) => String(error));
    await untilWaiting(db, "ensure_partitions");
    await db.pool.query("begin; lock table usage_log in row exclusive mode nowait; commit"); // as a settlement does
    expect(await attempt).toContain("lock timeout");
  });
  await ensurePartitions(db);
  expect(await partitions()).toContain(month(-3).name);
});

test("a month that is made has what those of the migrations have, and what is changed for all changes it", async () => {
  const shape = async (name: string) =>
    (
      await db.pool.query<{ line: string }>(
        `select replace(pg_get_indexdef(indexrelid), $1, 'm') as line from pg_index where indrelid = $1::regclass
         union all select concat_ws(' ', conname, pg_get_constraintdef(oid), conislocal, coninhcount) from pg_constraint
           where conrelid = $1::regclass and contype = 'c'
         union all select concat_ws(' ', attname, atttypid::regtype, attnotnull, attislocal, attinhcount, atthasdef) from pg_attribute
           where attrelid = $1::regclass and attnum > 0
         union all select concat_ws(' ', 'part of', inhparent::regclass) from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
           where x.indrelid = $1::regclass
         order by 1`,
        [name],
      )
    ).rows.map(({ line }) => line);
  await add(20); // the way of the first migration
  await db.pool.query(`drop table ${month(-3).name}`);
  await ensurePartitions(db);
  expect(await shape(month(-3).name)).toEqual(await shape(month(20).name));
  await db.pool.query("alter table usage_log drop constraint failures_are_free");
  await db.pool.query("drop index usage_log_failed");
  expect(await shape(month(-3).name)).toEqual(await shape(month(20).name));
});

test("a start without months ahead goes on and says so; one without the current month fails", async () => {
  await db.pool.query(`drop table ${month(-3).name}`);
  const faults: string[] = [];
  const start = () => ensureCurrentMonth(db, (error, what) => faults.push(`${what}: ${String(error)}`));
  await whileLocked("share update exclusive", start);
  expect(faults).toEqual([expect.stringMatching(/^making partitions: .*lock timeout/)]);
  await db.pool.query(`drop table ${month(0).name}`);
  await expect(whileLocked("share update exclusive", start)).rejects.toThrow("lock timeout");
  expect(faults).toHaveLength(1);
  await start();
  expect(await partitions()).toEqual(expect.arrayContaining([month(0).name, month(-3).name]));
});
