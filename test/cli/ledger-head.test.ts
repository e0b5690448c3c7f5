// SVC_LEDGER_HEAD_FILE and `svc ledger accept`: a ledger that went back is noticed before it serves, and accepted by an operator alone.
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { keepHeadFile, whatWentBack } from "../../src/ledger/head-file.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { type Gateway, spawnGateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { callSvc, runSvc } from "./run-svc.ts";

const folder = scratchFolder("head-");
const headFile = join(folder, "head.json");
const backup = join(folder, "gateway.backup");
let gateway: Gateway;
let account: TestAccount;
let restored: TestDatabase;

const svc = (url: string, words: string[], path = headFile) => callSvc({ DATABASE_URL: url, SVC_LEDGER_HEAD_FILE: path }, [...words, "--json"]); // prettier-ignore
const read = (path = headFile) => JSON.parse(readFileSync(path, "utf8")) as { written_at: string; ends: [string, number, string][] };
async function chat(): Promise<void> {
  const body = { model: "north/chat-small", messages: [{ role: "user", content: "Hello" }] };
  expect(await gateway.request("POST", "/v1/chat/completions", { key: account.key, body })).toMatchObject({ status: 200 });
}
async function inDatabase<T>(url: string, work: (db: ReturnType<typeof connect>) => Promise<T>): Promise<T> {
  const db = connect(url, { max: 2 });
  return work(db).finally(() => db.close());
}

beforeAll(async () => {
  gateway = await startGateway({ env: { SVC_LEDGER_HEAD_FILE: headFile } });
  account = await gateway.createAccount({ deposit: "20" });
  await chat();
  expect(await svc(gateway.databaseUrl, ["backup", backup])).toMatchObject({ status: 0 });
  await chat();
  restored = await emptyDatabase();
  expect(await svc(restored.url, ["restore", backup])).toMatchObject({ status: 0 });
});
afterAll(async () => {
  await gateway.stop();
  await restored.drop();
});

test("it holds the last entry of accounts, readable by its owner alone; a later state of the same ledger agrees", async () => {
  await svc(gateway.databaseUrl, ["ledger", "accept"]);
  expect(statSync(headFile).mode & 0o777).toBe(0o600);
  await inDatabase(gateway.databaseUrl, async (db) => {
    const sql = "select seq::int, encode(hash, 'hex') as hash from ledger_entry where account_id = $1 order by seq desc limit 1";
    const { rows } = await db.pool.query<{ seq: number; hash: string }>(sql, [account.accountId]);
    expect(read().ends).toContainEqual([account.id, rows[0]!.seq, rows[0]!.hash]);
    await chat();
    expect(await whatWentBack(db, headFile)).toBeNull();
  });
});

test("a gateway writes it while it runs and at its end; accounts that are idle stay in it", async () => {
  await inDatabase(gateway.databaseUrl, async (db) => {
    const path = join(folder, "kept.json");
    const faults: unknown[] = [];
    const kept = keepHeadFile(db, path, (error) => faults.push(error));
    await kept.stop();
    const [id, seq] = read(path).ends.find(([id]) => id === account.id)!;
    await db.pool.query("begin; alter table usage_log rename to usage_log_away; create view usage_log as select * from usage_log_away where false; alter table balance rename to balance_away; create view balance as select * from balance_away where false; commit"); // prettier-ignore
    try {
      await keepHeadFile(db, path, (error) => faults.push(error)).stop();
    } finally {
      await db.pool.query("begin; drop view usage_log; alter table usage_log_away rename to usage_log; drop view balance; alter table balance_away rename to balance; commit"); // prettier-ignore
    }
    expect(read(path).ends.map(([id, seq]) => [id, seq])).toContainEqual([id, seq]);
    expect(faults).toEqual([]);
  });
});

test("a start on a database that was restored to an earlier moment is refused, and says which entry is missing", async () => {
  const ran = await runSvc({ DATABASE_URL: restored.url, SVC_LEDGER_HEAD_FILE: headFile, PORT: "0", LOG_LEVEL: "silent" }, ["start"]);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(new RegExp(`the ledger went back: entry \\d+ of ${account.id}, which was there on .* is missing or another`));
  expect(ran.stderr).toContain("svc ledger accept");
  expect(ran.stderr).not.toMatch(/\n\s+at /);
});

test("a ledger that goes back under a running gateway is reported, and the file stays", async () => {
  const before = readFileSync(headFile, "utf8");
  await inDatabase(restored.url, async (db) => {
    const faults: string[] = [];
    await keepHeadFile(db, headFile, (error, what) => faults.push(`${what}: ${(error as Error).message}`)).stop();
    expect(faults[0]).toMatch(/^writing the ledger's head: the ledger went back: entry/);
  });
  expect(readFileSync(headFile, "utf8")).toBe(before);
});

test("another entry in the place of a known one is noticed, too", async () => {
  const path = join(folder, "other.json");
  const { written_at, ends } = read();
  writeFileSync(path, JSON.stringify({ written_at, ends: ends.map(([id, , hash]) => [id, 1, hash]) }));
  expect(await inDatabase(gateway.databaseUrl, (db) => whatWentBack(db, path))).toMatch(/^the ledger went back: entry 1 of acc_/);
});

test.each(["", "{}", "null", '{"written_at":"yesterday","ends":[]}', '{"written_at":"2026-01-01T00:00:00Z","ends":[["acc_1",1,"ff"]]}'])(
  "a file that is not the gateway's own is refused with a sentence, never taken for an empty one: %s",
  async (text) => {
    const path = join(folder, "wrong.json");
    writeFileSync(path, text);
    const asked = inDatabase(gateway.databaseUrl, (db) => whatWentBack(db, path));
    await expect(asked).rejects.toThrow(`${path} (SVC_LEDGER_HEAD_FILE) is not what the gateway writes there`);
    expect(await svc(gateway.databaseUrl, ["ledger", "accept"], path)).toMatchObject({ status: 0 });
    expect(read(path).ends.length).toBeGreaterThan(0);
  },
);

test("a file that can't be read stops the start, and one that can't be written is reported", async () => {
  const path = join(folder, "a-folder");
  mkdirSync(path);
  await inDatabase(gateway.databaseUrl, async (db) => {
    await expect(whatWentBack(db, path)).rejects.toThrow(`${path} (SVC_LEDGER_HEAD_FILE) can't be read`);
    const faults: unknown[] = [];
    const kept = keepHeadFile(db, join(folder, "missing", "head.json"), (error) => faults.push(error));
    await kept.stop();
    expect(faults).toHaveLength(2);
  });
});

test("of a link the file that it leads to is written, also for the first time; the link stays", async () => {
  const [disk, link] = [join(folder, "disk"), join(folder, "link.json")];
  mkdirSync(disk);
  symlinkSync("disk/far.json", link);
  for (const _ of ["first", "second"]) {
    expect(await svc(gateway.databaseUrl, ["ledger", "accept"], link)).toMatchObject({ status: 0 });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(disk)).toEqual(["far.json"]);
  }
  expect(read(link)).toEqual(read(join(disk, "far.json")));
});

test("svc ledger accept says what was different; then the gateway starts", async () => {
  const ran = await svc(restored.url, ["ledger", "accept"]);
  expect(ran.json()).toEqual({ file: headFile, was: expect.stringContaining(`of ${account.id}`) });
  expect((await svc(restored.url, ["ledger", "accept"])).json()).toEqual({ file: headFile, was: null });
  const started = await spawnGateway({ DATABASE_URL: restored.url, SVC_LEDGER_HEAD_FILE: headFile, LOG_LEVEL: "warn" });
  expect((await fetch(`${started.url}/readyz`)).status).toBe(200);
  expect(await fetch(`${started.url}/metrics`).then((reply) => reply.text())).toMatch(/^svc_ledger_head_timestamp_seconds \d+/m);
  await started.kill("SIGTERM");
});

test("svc ledger accept without the setting is refused", async () => {
  const ran = await callSvc({ DATABASE_URL: restored.url }, ["ledger", "accept"]);
  expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining("SVC_LEDGER_HEAD_FILE is not set") });
});
