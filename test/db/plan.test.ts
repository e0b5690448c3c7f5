// `svc migrate --plan`: what it says of each released migration is what Postgres does when the migration is applied.
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect, type Db, inTransaction, type Queries, withoutEffect } from "../../src/db/connect.ts";
import { locksOf } from "../../src/db/lock-reader.ts";
import { migrateWithin, readFunctions, readMigrations } from "../../src/db/migrate.ts";
import { planMigrations } from "../../src/db/plan.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { drawn } from "../support/size.ts";

let database: TestDatabase;
let db: Db;

beforeEach(async () => {
  database = await emptyDatabase();
  db = connect(database.url, { max: 4 });
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

const migrations = readMigrations();
/** As a database has it that stopped before this migration; months of the log, as every database has them. */
async function migrateUntil(name: string): Promise<void> {
  const before = migrations.map((migration) => migration.name).filter((one) => one < name);
  await inTransaction(db, (transaction) => migrateWithin(transaction, new Set(before)));
  await db.pool.query(
    "create table usage_log_2026_01 partition of usage_log for values from ('2026-01-01 00:00Z') to ('2026-02-01 00:00Z')",
  );
}

/** Tables with their partitions' file, by the name of the table. */
async function filesOf({ pool }: Queries): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string; files: string }>(
    `select coalesce(pg_partition_root(oid), oid)::regclass::text as name, string_agg(pg_relation_filenode(oid)::text, ' ' order by oid) as files
     from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace group by 1`,
  );
  return new Map(rows.map(({ name, files }) => [name, files]));
}

const order = ["RowExclusiveLock", "ShareUpdateExclusiveLock", "ShareLock", "ShareRowExclusiveLock", "AccessExclusiveLock"];

/** The strongest lock that this transaction has on each table. */
async function heldLocks({ pool }: Queries): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string; mode: string }>(
    `select distinct coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, l.mode
     from pg_locks l join pg_class c on c.oid = l.relation and c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
     where l.pid = pg_backend_pid()`,
  );
  const held = new Map<string, string>();
  for (const { name, mode } of rows.sort((a, b) => order.indexOf(a.mode) - order.indexOf(b.mode)))
    if (order.includes(mode)) held.set(name, mode);
  return held;
}

const camel = (mode: string) => `${mode.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())}Lock`;

// The newest always: it is the one that a change brings.
const checked = [...drawn(migrations.slice(1, -1), 6), migrations.at(-1)!].map(({ name, text }) => ({ name, text }));
test.each(checked)("the plan names the tables in use that $name locks, how, and which are written anew", async ({ name, text }) => {
  await migrateUntil(name);
  const planned = (await planMigrations(db)).migrations[0]!;
  expect(planned.name).toBe(name);
  expect(planned.does).toMatch(/^[A-Z].{20,}\.$/);
  await withoutEffect(db, async (transaction) => {
    await transaction.pool.query("set local check_function_bodies = off");
    for (const file of readFunctions().filter((one) => /\breturns trigger\b/.test(one.text))) await transaction.pool.query(file.text);
    const before = await filesOf(transaction);
    await transaction.pool.query(text);
    const held = [...(await heldLocks(transaction))].filter(([table]) => before.has(table));
    expect(new Map(planned.locks.map(({ table, mode }) => [table, camel(mode)]))).toEqual(new Map(held));
    const after = await filesOf(transaction);
    const rewritten = [...before].filter(([table, files]) => after.get(table) !== files).map(([table]) => table);
    expect(planned.locks.filter(({ work }) => work === "rewrite").map(({ table }) => table)).toEqual(rewritten);
  });
});

/** From before there was such a rule: they stay as they are, since databases hold them. And indexes of tables that are small, that no call
 * writes, or whose index is to be made by hand before. */
const unsplit = [
  ["0003-money-back", "topup", "index"],
  ["0004-cache-writes-of-an-hour", "usage_log", "scan"],
  ["0010-workspaces", "account", "scan"],
  ["0011-key-policies", "api_key", "index"],
  ["0011-key-policies", "key_budget", "scan"],
  ["0017-notices", "api_key", "index"],
  ["0017-notices", "key_budget", "index"],
  ["0018-webhooks", "notice_delivery", "scan"],
  ["0020-sessions-shown", "session", "rewrite"],
  ["0032-assigned-tiers", "account", "scan"],
  ["0037-kept-answers", "api_key", "scan"],
  ["0038-stored-responses", "account", "scan"],
  ["0039-group-members", "member", "scan"],
  ["0043-topup-tax", "topup", "scan"],
  ["0044-batch-usage", "batch", "scan"],
  ["0046-overview-sums", "usage_rollup", "index"],
  ["0047-voucher-ends", "voucher", "index"],
  ["0047-voucher-ends", "voucher_batch", "index"],
  ["0049-operators-reads", "ledger_entry", "index"],
  ["0049-operators-reads", "account", "index"],
  ["0049-operators-reads", "operator_action", "index"],
  ["0050-page-reads", "ledger_entry", "index"],
  ["0050-page-reads", "usage_rollup", "index"],
  ["0052-rare-rows", "ledger_entry", "index"],
  ["0052-rare-rows", "operator_action", "index"],
  ["0052-rare-rows", "media_job", "index"],
  ["0053-totals-and-vouchers", "voucher", "index"],
  ["0054-sums-by-span", "usage_total", "rewrite"],
  ["0055-callers-charges", "usage_rollup", "index"],
];

test("no migration reads or writes all of a table while others may not use it: what would is split, as src/db/README.md says", () => {
  const long = migrations.slice(1).flatMap(({ name, text }) =>
    locksOf(text)
      .filter(({ mode, work }) => work !== "none" && mode !== "share update exclusive" && mode !== "row exclusive")
      .map(({ table, work }) => [name, table, work]),
  );
  expect(long).toEqual(unsplit);
});

test("a plan applies nothing and locks nothing: calls and a migration that holds a table are not in its way", async () => {
  await migrateUntil("0020-sessions-shown");
  await db.pool.query(`insert into account (email, email_norm, created_at) values ('a@example.com', 'a@example.com', now())`);
  await db.pool.query("analyze account");
  const plan = await inTransaction(db, async (other) => {
    await other.pool.query("lock table account, session in access exclusive mode");
    return planMigrations(db);
  });
  expect(plan.migrations.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name).filter((name) => name >= "0020"));
  expect(plan.migrations.find(({ name }) => name === "0023-deleted-accounts")!.locks).toEqual([
    {
      table: "account",
      mode: "access exclusive",
      waits: "everyone",
      work: "none",
      rows: 1,
      bytes: 8192,
      seconds: 0,
    },
  ]);
  expect(plan.is_new).toBe(false);
  expect((await db.pool.query("select from schema_migration where name >= '0020'")).rowCount).toBe(0);
});

test("of a new database it names everything, and no table: nobody uses one", async () => {
  const plan = await planMigrations(db);
  expect(plan.is_new).toBe(true);
  expect(plan.migrations.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  expect(plan.functions).toEqual(readFunctions().map(({ name }) => name));
  expect(plan.migrations.flatMap(({ locks }) => locks)).toEqual([]);
  expect((await db.pool.query("select from pg_class where relnamespace = 'public'::regnamespace")).rowCount).toBe(0);
});

test.each([
  ["create index a_b on a (b)", "share", "index"],
  ["create unique index if not exists a_b on a (b)", "share", "index"],
  ["create index concurrently a_b on a (b)", "share update exclusive", "index"],
  ["alter table a add column b int default 0, add column c timestamptz not null default now()", "access exclusive", "none"],
  ["alter table a add b uuid default gen_random_uuid()", "access exclusive", "rewrite"],
  ["alter table a alter column b type bigint using b::bigint", "access exclusive", "rewrite"],
  ["alter table a alter b set not null", "access exclusive", "scan"],
  ["alter table a add constraint c check (b > 0) not valid", "access exclusive", "none"],
  ["alter table a add constraint c check (b in (1, 2))", "access exclusive", "scan"],
  ["alter table a validate constraint c", "share update exclusive", "scan"],
  ["alter table a set (fillfactor = 50)", "share update exclusive", "none"],
  ["-- alter table b drop c;\nupdate a set b = 'alter table c; drop table d' where c", "row exclusive", "rows"],
  ["do $$ begin alter table a drop column b; end $$;", "access exclusive", "none"],
])("%s: %s, %s", async (sql, mode, work) => {
  expect(locksOf(sql)).toEqual([{ table: "a", mode, work }]);
});
