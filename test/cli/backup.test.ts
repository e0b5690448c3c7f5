// `svc backup` and `svc restore`: a backup of a gateway at work is one moment, a restore is that moment, and a file or a database that is not
// right changes nothing.
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dump } from "../../src/db/backup/dump.ts";
import { checkBackup, load } from "../../src/db/backup/load.ts";
import { connect, inTransaction } from "../../src/db/connect.ts";
import { migrateWithin, readMigrations } from "../../src/db/migrate.ts";
import { language, provider } from "../operations/chat/chat-gateway.ts";
import { emptyDatabase, freshDatabase, ownedDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { highTiers } from "../support/tiers.ts";
import { callSvc, runSvc } from "./run-svc.ts";

const catalog = JSON.stringify({
  providers: [provider("north")],
  models: [language("demo/chat", ["chat+sim-slow-40ms"])],
  tiers: highTiers(),
});
const file = join(scratchFolder("backup-"), "gateway.backup");
const databases: TestDatabase[] = [];
let gateway: Gateway;
let account: TestAccount;
let made: Record<string, unknown>;

const svc = (url: string, ...words: string[]) => callSvc({ DATABASE_URL: url }, [...words, "--json"]);
const keep = async (database: Promise<TestDatabase>) => {
  databases.push(await database);
  return databases.at(-1)!.url;
};
const call = (at: Gateway) =>
  at.request("POST", "/v1/chat/completions", {
    key: account.key,
    body: { model: "demo/chat", messages: [{ role: "user", content: "Hello" }] },
  });
const rows = async (url: string, sql: string) => {
  const db = connect(url, { max: 1 });
  return (await db.pool.query<Record<string, unknown>>(sql).finally(() => db.close())).rows;
};

beforeAll(async () => {
  gateway = await startGateway({ catalog });
  account = await gateway.createAccount({ deposit: "20" });
  let stopped = false;
  let answered = 0;
  const client = async () => {
    while (!stopped) {
      expect(await call(gateway)).toMatchObject({ status: 200 });
      answered += 1;
    }
  };
  const clients = [client(), client(), client(), client()];
  await eventually(() => expect(answered).toBeGreaterThan(20));
  const before = answered;
  const ran = await svc(gateway.databaseUrl, "backup", file);
  expect(ran.stderr).toBe("");
  made = ran.json();
  await eventually(() => expect(answered).toBeGreaterThan(before + 20)); // calls went on
  stopped = true;
  await Promise.all(clients);
});
afterAll(async () => {
  await gateway.stop();
  for (const database of databases) await database.drop();
});

describe("svc backup", () => {
  test("says where the file is, how long, and the ledger's head; its owner alone reads it", () => {
    expect(made).toEqual({ file, bytes: statSync(file).size, ledger_head: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("where the disk is full midway, fails with a sentence; the older file stays, and nothing lies beside it", async () => {
    const folder = scratchFolder("backup-");
    const own = join(folder, "nightly");
    copyFileSync(file, own);
    // The most that a file of this process may have, which ends a write as a full disk does.
    const limited = join(folder, "limited");
    writeFileSync(limited, '#!/bin/sh\nulimit -f 8\nexec "$0.node" "$@"\n', { mode: 0o700 });
    symlinkSync(process.execPath, `${limited}.node`);
    const ran = await runSvc({ DATABASE_URL: gateway.databaseUrl }, ["backup", own], limited);
    expect([ran.status, ran.stderr]).toEqual([1, expect.stringMatching(/file too large/i)]);
    expect(readFileSync(own).equals(readFileSync(file))).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["limited", "limited.node", "nightly"]);
  });

  test("removes what one that was killed left a day ago, follows a link to its place, and leaves others alone", async () => {
    const folder = scratchFolder("backup-");
    const names = ["far.1234.part", "far.1235.part", "far2.1236.part", "far.old"];
    for (const name of names) writeFileSync(join(folder, name), "half");
    for (const name of names.filter((name) => name !== "far.1235.part")) utimesSync(join(folder, name), 1, 1);
    symlinkSync("far", join(folder, "link"));
    expect(await svc(gateway.databaseUrl, "backup", join(folder, "link"))).toMatchObject({ status: 0 });
    expect(readdirSync(folder).sort()).toEqual(["far", "far.1235.part", "far.old", "far2.1236.part", "link"]);
    expect(readlinkSync(join(folder, "link"))).toBe("far");
  });

  test("of a broken ledger is not written, and an older file stays", async () => {
    const url = await keep(freshDatabase());
    await svc(url, "account", "create", "--email", "ada@example.com", "--deposit", "1");
    const old = join(scratchFolder("backup-"), "old");
    writeFileSync(old, "the backup of yesterday");
    const db = connect(url, { max: 1 });
    await db.pool.query("set session_replication_role = replica");
    await db.pool.query("update ledger_entry set ref = 'another'").finally(() => db.close());
    const ran = await svc(url, "backup", old);
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining("the ledger is broken at entry 1 of acc_") });
    expect(readFileSync(old, "utf8")).toBe("the backup of yesterday");
  });
});

describe("svc restore", () => {
  test("of a backup that was made under load: the ledger is the one of that moment, and whole; keys go on with what was left", async () => {
    const url = await keep(ownedDatabase()); // of a role without any other right
    expect(await svc(url, "restore", file)).toMatchObject({ status: 0, stderr: "" });
    expect((await svc(url, "ledger", "verify")).json()).toMatchObject({ head: made["ledger_head"], broken: null });
    expect((await svc(url, "ledger", "audit")).json()).toMatchObject({ mismatches: [] });
    const restored = await startGateway({ catalog, databaseUrl: url });
    try {
      // Calls that were in flight at that moment give back what they held.
      await eventually(async () => expect(await restored.audit()).toMatchObject({ reservations_open: 0, mismatches: [] }));
      const [then, now] = [await restored.balance(account), await gateway.balance(account)];
      expect(then.spent).toBeGreaterThan(0);
      expect(then.spent).toBeLessThan(now.spent);
      expect(then.balance + then.spent).toBeCloseTo(20, 8);
      expect(await call(restored)).toMatchObject({ status: 200 });
      expect((await restored.createAccount()).accountId).toBe(account.accountId + 1n); // numbers go on, too
      expect(await restored.audit()).toMatchObject({ mismatches: [] });
    } finally {
      await restored.stop();
    }
  });

  test("every table has what the backup's moment had, and the rules are back", async () => {
    const still = await keep(freshDatabase());
    await svc(still, "account", "create", "--email", "grace@example.com", "--deposit", "3");
    const own = join(scratchFolder("backup-"), "still");
    await svc(still, "backup", own);
    const url = await keep(emptyDatabase());
    expect(await svc(url, "restore", own)).toMatchObject({ status: 0, stderr: "" });
    const tables = (await rows(still, "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')")).map(({ name }) => String(name)).filter((name) => !name.startsWith("schema_")); // prettier-ignore
    // A backup's own verdict is written once the file is.
    for (const table of tables.filter((name) => name !== "ledger_verdict")) {
      const sql = `select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as all_rows from "${table}" t`;
      expect([table, await rows(url, sql)]).toEqual([table, await rows(still, sql)]);
    }
    const rules = `select conname::text as name from pg_constraint where connamespace = 'public'::regnamespace union all
      select tgname || tgenabled::text from pg_trigger where not tgisinternal order by 1`;
    expect(await rows(url, rules)).toEqual(await rows(still, rules));
    await expect(rows(url, "update ledger_entry set amount = 5")).rejects.toThrow("append-only");
  });

  test("of a database without an account, as svc migrate leaves it, works; into one in use it is refused", async () => {
    const url = await keep(freshDatabase());
    expect(await svc(url, "restore", file)).toMatchObject({ status: 0 });
    expect(await svc(url, "restore", file)).toMatchObject({ status: 1, stderr: expect.stringContaining("the database is in use") });
    const strange = await keep(emptyDatabase());
    await rows(strange, "create table blog (id int)");
    expect(await svc(strange, "restore", file)).toMatchObject({ status: 1, stderr: expect.stringContaining("tables of something else") });
  });

  test("into a database that another restore is filling is refused at once; the other goes on to its end", async () => {
    const url = await keep(emptyDatabase());
    const db = connect(url, { max: 2 });
    const second: unknown[] = [];
    const meanwhile = async () => void second.push(await svc(url, "restore", file));
    await load(db, file, await checkBackup(file), meanwhile).finally(() => db.close());
    expect(second).toEqual([expect.objectContaining({ status: 1, stderr: expect.stringContaining("another restore") })]);
    expect((await svc(url, "ledger", "verify")).json()).toMatchObject({ head: made["ledger_head"], broken: null });
  });

  test("of an older version's backup brings it up to date", async () => {
    const old = connect(await keep(emptyDatabase()), { max: 2, statementTimeoutMs: 0 });
    const path = join(scratchFolder("backup-"), "old");
    const migrations = readMigrations().map(({ name }) => name);
    try {
      await inTransaction(old, (transaction) => migrateWithin(transaction, new Set(migrations.slice(0, 10))));
      await old.pool.query("insert into account (email, email_norm) values ('ada@example.com', 'ada@example.com')");
      await dump(old, path, async () => ({ ledger_head: createHash("sha256").digest("hex"), accounts: 0, entries: 0 }));
    } finally {
      await old.close();
    }
    const url = await keep(emptyDatabase());
    expect(await svc(url, "restore", path)).toMatchObject({ status: 0, stderr: "" });
    expect(await rows(url, "select name from schema_migration order by name")).toEqual(migrations.map((name) => ({ name })));
    expect((await svc(url, "account", "show", "ada@example.com")).json()).toMatchObject({ balance: 0 });
  });

  test("of a newer version's backup is refused, and names what is not known", async () => {
    const lines = gunzipSync(readFileSync(file)).toString("latin1").split("\n");
    const header = JSON.parse(lines[0]!) as { migrations: string[] };
    lines[0] = JSON.stringify({ ...header, migrations: [...header.migrations, "9999-later"] });
    const body = `${lines.slice(0, -2).join("\n")}\n`;
    const sha256 = createHash("sha256").update(body, "latin1").digest("hex");
    const path = join(scratchFolder("backup-"), "newer");
    writeFileSync(
      path,
      gzipSync(Buffer.from(`${body}${JSON.stringify({ ...(JSON.parse(lines.at(-2)!) as object), sha256 })}\n`, "latin1")),
    );
    const url = await keep(emptyDatabase());
    expect(await svc(url, "restore", path)).toMatchObject({ status: 1, stderr: expect.stringMatching(/newer version.*9999-later/) });
    expect(await rows(url, "select relname from pg_class where relname = 'account'")).toEqual([]);
  });

  test.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length - 1_000), "was cut"],
    [
      "altered",
      (bytes: Buffer) => gzipSync(Buffer.from(gunzipSync(bytes).toString("latin1").replace("demo/chat", "demo/chap"), "latin1")),
      "was altered",
    ],
    ["with something behind it", (bytes: Buffer) => gzipSync(Buffer.concat([gunzipSync(bytes), Buffer.from("more\n")])), "follows its end"],
    ["no backup", () => Buffer.from("something else"), "none of this gateway"],
  ])("of a file that is %s changes nothing", async (_, change, said) => {
    const path = join(scratchFolder("backup-"), "wrong");
    writeFileSync(path, change(readFileSync(file)));
    const url = await keep(emptyDatabase());
    expect(await svc(url, "restore", path)).toMatchObject({ status: 1, stderr: expect.stringContaining(said) });
    expect(await rows(url, "select relname from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
  });

  test("of a file whose place another backup takes while it is read changes nothing", async () => {
    const path = join(scratchFolder("backup-"), "nightly");
    copyFileSync(file, path);
    const header = await checkBackup(path);
    expect(await svc(gateway.databaseUrl, "backup", path)).toMatchObject({ status: 0 });
    const url = await keep(emptyDatabase());
    const db = connect(url, { max: 2 });
    await expect(load(db, path, header, async () => undefined).finally(() => db.close())).rejects.toThrow("took the file's place");
    expect(await rows(url, "select relname from pg_class where relnamespace = 'public'::regnamespace")).toEqual([]);
  });

  test("of a file that is not there says so", async () => {
    expect(await svc(await keep(emptyDatabase()), "restore", "/nowhere/file")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no such file"),
    });
  });
});
