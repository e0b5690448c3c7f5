// The address of the database moves: to a standby that was promoted, back to the former primary, to another server. Money is taken at the
// gateway's own database and at its successor, nowhere else. And a database that has lost what it had confirmed, or confirms nothing any more.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { hello, language, provider } from "../operations/chat/chat-gateway.ts";
import { eventually, until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { type DatabaseProxy, openDatabaseProxy } from "./database-proxy.ts";

/** The primary; its standby, promoted while the primary goes on; a server that has nothing to do with them. */
const servers: Record<"former" | "promoted" | "other", Embedded> = {} as never;
const dbs: Record<keyof typeof servers, Db> = {} as never;
const serverAt = (name: string) => startEmbedded({ dataDir: join(inject("runFolder"), `failover-${name}`), durable: false });

async function folderOf(server: Embedded): Promise<string> {
  const db = connect(server.url, { max: 1 });
  const { rows } = await db.pool.query<{ data_directory: string }>("show data_directory");
  await db.close();
  return rows[0]!.data_directory;
}

beforeAll(async () => {
  const begun = { former: await serverAt("former"), promoted: await serverAt("promoted"), other: await serverAt("other") };
  for (const { url } of [begun.former, begun.other]) {
    const db = connect(url, { max: 2 });
    await migrate(db);
    await db.close();
  }
  const [from, to] = [await folderOf(begun.former), await folderOf(begun.promoted)];
  await begun.former.stop();
  await begun.promoted.stop();
  rmSync(to, { recursive: true });
  cpSync(from, to, { recursive: true });
  // Recovers what there is and goes on as a primary, on the next timeline: a promotion.
  writeFileSync(join(to, "recovery.signal"), "");
  writeFileSync(join(to, "postgresql.auto.conf"), "restore_command = 'false'\n");
  Object.assign(servers, { former: await serverAt("former"), promoted: await serverAt("promoted"), other: begun.other });
  for (const [name, { url }] of Object.entries(servers))
    dbs[name as keyof typeof servers] = connect(url, { max: 2, applicationName: "test" });
  await until(async () => (await timelineOf(dbs.promoted)) === 2, "it is promoted");
});
afterAll(async () => {
  for (const db of Object.values(dbs)) await db.close();
  for (const server of Object.values(servers)) {
    server.kill9();
    await server.stop();
  }
});

const timelineOf = async ({ pool }: Db) =>
  Number((await pool.query<{ timeline: bigint | null }>("select timeline from database_identity()")).rows[0]!.timeline);

const ledger = { ...quickTimes, proveEveryMs: 1_000, freshMs: 3_500 };
let wire: DatabaseProxy;
let gateway: Gateway;
let account: TestAccount;
const lines: string[] = [];

/** `at`: where it starts. */
async function open(at: keyof typeof servers): Promise<void> {
  wire = await openDatabaseProxy(servers[at].url);
  const catalog = JSON.stringify({ providers: [provider("north")], models: [language("demo/chat", ["chat"])] });
  gateway = await startGateway({ catalog, databaseUrl: wire.url, connectionLifeMs: 1_000, ledger, logLines: lines });
  account = await gateway.createAccount({ deposit: "5" });
}
beforeEach(() => void lines.splice(0));
afterEach(async () => {
  await gateway.stop();
  await wire.close();
});

const chat = () =>
  gateway.request("POST", "/v1/chat/completions", { key: account.key, body: { model: "demo/chat", messages: hello } }).catch(() => null);
const ready = async () => {
  const answer = await fetch(`${gateway.url}/readyz`);
  return [answer.status, ((await answer.json()) as { reason?: string }).reason];
};
const charges = async ({ pool }: Db) => (await pool.query("select 1 from ledger_entry where kind = 'usage'")).rowCount;
const connections = async ({ pool }: Db) =>
  (await pool.query("select 1 from pg_stat_activity where application_name in ('svc', 'svc-listen')")).rowCount;
/** Every connection is a new one. */
const moveTo = (name: keyof typeof servers) => {
  wire.moveTo(servers[name].url);
  wire.cut();
  wire.restore();
};

test("a promoted standby behind the address: the connections leave a primary that goes on, and all that follows is charged there", async () => {
  await open("former");
  expect((await chat())?.status).toBe(200);
  expect([await charges(dbs.former), await charges(dbs.promoted)]).toEqual([1, 0]);
  // The account was made after the copy: as replication would have brought it.
  const { rows: accounts } = await dbs.former.pool.query("select id, email, email_norm from account");
  for (const { id, email, email_norm } of accounts)
    await dbs.promoted.pool.query("insert into account (id, email, email_norm) overriding system value values ($1, $2, $3)", [id, email, email_norm]); // prettier-ignore
  const { rows: keys } = await dbs.former.pool.query("select to_jsonb(k) as key from api_key k");
  for (const { key } of keys)
    await dbs.promoted.pool.query("insert into api_key overriding system value select (jsonb_populate_record(null::api_key, $1)).*", [key]);
  await dbs.promoted.pool.query(
    "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) select id, now(), gen_random_uuid(), 'deposit', 500000000, 'test' from account",
  );

  wire.moveTo(servers.promoted.url); // nothing is cut: the former primary still answers
  await until(async () => (await connections(dbs.former)) === 0, "no connection leads to the former primary");
  await until(async () => (await chat())?.status === 200, "calls are answered");
  expect(await ready()).toEqual([200, undefined]);
  expect(await charges(dbs.former)).toBe(1);
  const before = (await charges(dbs.promoted))!;
  expect((await chat())?.status).toBe(200);
  expect(await charges(dbs.promoted)).toBe(before + 1);

  moveTo("former"); // nobody fenced it
  await until(async () => (await ready())[0] === 503, "it is not ready");
  await until(async () => String((await ready())[1]).includes("a former primary answers: its timeline is 1, 2 was seen"), "it says why");
  expect((await chat())?.status).toBe(503);
  moveTo("promoted");
  await until(async () => (await chat())?.status === 200, "calls are answered again");
  await until(async () => (await ready())[0] === 200, "it is ready again");
  expect(await charges(dbs.former)).toBe(1);
});

test("another server behind the address: nothing is taken there, and all goes on once the address is right", async () => {
  await open("former");
  const before = (await charges(dbs.former))!;
  moveTo("other");
  await until(async () => String((await ready())[1]).includes("another database answers"), "it says why");
  expect((await chat())?.status).toBe(503);
  for (const table of ["hold", "ledger_entry", "replica", "commit_proof"])
    expect([table, (await dbs.other.pool.query(`select 1 from ${table}`)).rowCount]).toEqual([table, 0]);
  const { text } = await gateway.request("GET", "/metrics", { unchecked: true });
  expect(text).toContain('svc_database_doubted{doubt="identity"} 1');
  expect(lines.some((line) => line.includes("new calls are refused"))).toBe(true);
  moveTo("former");
  await until(async () => (await ready())[0] === 200, "it is ready again");
  await until(async () => (await chat())?.status === 200, "calls are answered again");
  expect(await charges(dbs.former)).toBe(before + 1);
});

test("a database that only reads: not ready, and calls are refused", async () => {
  await open("former");
  await dbs.other.pool.query("select 1");
  await dbs.former.pool.query("alter database postgres set default_transaction_read_only = on");
  try {
    moveTo("former"); // new sessions
    await until(async () => (await ready())[0] === 503, "it is not ready");
    expect((await chat())?.status).toBe(503);
  } finally {
    await dbs.former.pool.query("set default_transaction_read_only = off; alter database postgres reset default_transaction_read_only");
  }
  moveTo("former");
  await until(async () => (await ready())[0] === 200, "it is ready again");
});

test("a full disk: not ready while reads work, the log says why, and what was answered is charged once there is room", async () => {
  // As Postgres says it where a file can't grow; a row says that it is full, since no table may be changed under load.
  await dbs.former.pool.query(`
    create table disk (is_full boolean);
    create function full_disk() returns trigger language plpgsql as $$ begin
      if exists (select 1 from disk) then raise exception 'could not extend file: No space left on device' using errcode = '53100'; end if;
      return new;
    end $$;
    create trigger full_disk before insert on usage_log for each row execute function full_disk()`);
  await open("former");
  const before = (await charges(dbs.former))!;
  await dbs.former.pool.query("insert into disk values (true)");
  const answered = chat();
  try {
    await until(async () => (await ready())[0] === 503, "it is not ready");
    expect((await ready())[1]).toBe("the database refuses to write");
    const said = lines.map((line) => JSON.parse(line) as { level: number; msg: string; err?: { code?: string; message: string } });
    expect(said.filter(({ err }) => err?.code === "53100")).toEqual([
      expect.objectContaining({
        level: 50,
        msg: "writing to the database failed",
        err: expect.objectContaining({ message: expect.stringContaining("No space left") }),
      }),
    ]);
  } finally {
    await dbs.former.pool.query("delete from disk");
  }
  expect((await answered)?.status).toBe(200);
  expect(await ready()).toEqual([200, undefined]);
  expect(await charges(dbs.former)).toBe(before + 1);
});

test("a commit that hangs, as without the only synchronous standby: not ready while reads work; it comes back by itself", async () => {
  await open("former");
  expect((await ready())[0]).toBe(200);
  await dbs.former.pool.query("alter system set synchronous_standby_names = 'gone'");
  await dbs.former.pool.query("alter system set synchronous_commit = 'on'");
  await dbs.former.pool.query("select pg_reload_conf()");
  try {
    await until(async () => (await ready())[0] === 503, "it is not ready");
    expect(await ready()).toEqual([503, "the database confirms no commit"]);
    expect((await dbs.former.pool.query("select 1 from replica where seen_at > now() - interval '3 seconds'")).rowCount).toBe(1); // it is not dead
    await until(async () => (await waitingForStandby()) >= 1, "a commit waits");
    expect(await waitingForStandby()).toBeLessThanOrEqual(2); // they don't pile up
  } finally {
    await dbs.former.pool.query("alter system reset synchronous_standby_names");
    await dbs.former.pool.query("alter system reset synchronous_commit");
    await dbs.former.pool.query("select pg_reload_conf()");
  }
  await until(async () => (await ready())[0] === 200, "it is ready again");
  expect((await chat())?.status).toBe(200);
});

test("a canceled wait for the standby confirms nothing: the call is answered when the standby has its charge, which is made once", async () => {
  await open("former");
  const before = (await charges(dbs.former))!;
  let answer: Awaited<ReturnType<typeof chat>> | undefined;
  await dbs.former.pool.query("alter system set synchronous_standby_names = 'gone'");
  await dbs.former.pool.query("alter system set synchronous_commit = 'on'");
  await dbs.former.pool.query("select pg_reload_conf()");
  const answered = chat().then((one) => (answer = one));
  try {
    const settling = "from pg_stat_activity where wait_event = 'SyncRep' and query like '%ledger_settle%'";
    const waits = async () => (await dbs.former.pool.query<{ pid: number }>(`select pid ${settling}`)).rows[0]?.pid ?? null;
    const first = await eventually(
      async () => (await waits()) ?? Promise.reject(new Error("its charge does not wait for the standby yet")),
    );
    await dbs.former.pool.query("select pg_cancel_backend($1)", [first]);
    // On this one server it is committed now, which Postgres reports as a success with a warning.
    await until(async () => (await charges(dbs.former)) === before + 1, "it is committed");
    await until(async () => answer !== undefined || ![null, first].includes(await waits()), "it waits again, or was believed");
    expect(answer).toBeUndefined();
  } finally {
    await dbs.former.pool.query("alter system reset synchronous_standby_names");
    await dbs.former.pool.query("alter system reset synchronous_commit");
    await dbs.former.pool.query("select pg_reload_conf()");
  }
  expect((await answered)?.status).toBe(200);
  expect(await charges(dbs.former)).toBe(before + 1);
});

async function waitingForStandby(): Promise<number> {
  return (await dbs.former.pool.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'")).rowCount!;
}

test("a database that lacks minutes of what it had confirmed was restored: nothing is taken there; seconds are a standby's lag, and reported", async () => {
  await open("former");
  const proofs = async () =>
    Number((await dbs.former.pool.query<{ count: bigint }>("select max(count) as count from commit_proof")).rows[0]?.count ?? 0n);
  await until(async () => (await proofs()) >= 2, "commits were confirmed");
  await dbs.former.pool.query("update commit_proof set count = count - 1");
  await until(
    () => lines.some((line) => line.includes("has lost what it had confirmed, the last 1 s or less: answers of that time were free")),
    "it is said",
  );
  expect(await ready()).toEqual([200, undefined]);

  await dbs.former.pool.query("update commit_proof set count = count - 100");
  await until(async () => (await ready())[0] === 503, "it is not ready");
  expect(String((await ready())[1])).toMatch(/^the database has lost what it had confirmed, the last \d+ s or less: it was restored/);
  expect((await chat())?.status).toBe(503);
  await dbs.former.pool.query("update commit_proof set count = count + 100"); // the right one again
  await until(async () => (await ready())[0] === 200, "it is ready again");
  expect((await chat())?.status).toBe(200);
});
