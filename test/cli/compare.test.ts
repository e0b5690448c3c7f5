// SVC_CHARGE_LOG and `svc ledger compare`: what a restore lost is found by the log, to the call, and posted once.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "../../src/db/connect.ts";
import { openChargeLog } from "../../src/ledger/charge-log.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { scratchFolder } from "../support/leftovers.ts";
import { callSvc } from "./run-svc.ts";

const folder = scratchFolder("charges-");
const log = join(folder, "charges.jsonl");
const file = join(folder, "gateway.backup");
const message = { role: "user", content: "Hello" };
let gateway: Gateway;
let account: TestAccount;
let poor: TestAccount;
let restored: TestDatabase;
const later: string[] = [];

const svc = (url: string, ...words: string[]) => callSvc({ DATABASE_URL: url }, [...words, "--json"]);
const lines = () => (existsSync(log) ? readFileSync(log, "utf8") : "").trim().split("\n").map((line) => JSON.parse(line) as Record<string, string>); // prettier-ignore
async function chat(who = account): Promise<string> {
  const reply = await gateway.request("POST", "/v1/chat/completions", {
    key: who.key,
    body: { model: "north/chat-small", messages: [message] },
  });
  expect(reply.status).toBe(200);
  return reply.headers["x-request-id"]!;
}

beforeAll(async () => {
  gateway = await startGateway({ env: { SVC_CHARGE_LOG: log } });
  account = await gateway.createAccount({ deposit: "20" });
  poor = await gateway.createAccount({ credit: "1" });
  await chat();
  await svc(gateway.databaseUrl, "backup", file);
  later.push(await chat(), await chat());
  const body = { model: "pixa/standard", prompt: "A boat" };
  const image = await gateway.request("POST", "/v1/images/generations", { key: account.key, body });
  await eventually(async () => {
    const { json } = await gateway.request("GET", `/v1/jobs/${String(image.json.id)}`, { key: account.key });
    expect(json).toMatchObject({ status: "succeeded" });
  });
  later.push(image.headers["x-request-id"]!, await chat(poor));
  await eventually(() => expect(lines().length).toBe(5));
  restored = await emptyDatabase();
  expect(await svc(restored.url, "restore", file)).toMatchObject({ status: 0 });
});
afterAll(async () => {
  await gateway.stop();
  await restored.drop();
});

test("a log that can't be written is reported when it is opened, before any charge", async () => {
  const faults: string[] = [];
  const unwritable = openChargeLog("/nowhere/charges.jsonl", (error, what) => faults.push(`${what}: ${(error as Error).message}`));
  await unwritable.close();
  expect(faults).toEqual([expect.stringContaining("writing the charge log: ENOENT")]);
});

test("each charge is a line, a media job's too, readable by its owner alone; free calls are not in it", async () => {
  expect(statSync(log).mode & 0o777).toBe(0o600);
  const db = connect(gateway.databaseUrl, { max: 1 });
  const { rows } = await db.pool.query<{ id: string; amount: bigint }>(
    "select id, -amount as amount from ledger_entry where kind = 'usage'",
  );
  await db.close();
  const charged = Object.fromEntries(rows.map(({ id, amount }) => [id, Number(amount)]));
  expect(Object.fromEntries(lines().map(({ id, usd }) => [id, Math.round(Number(usd) * 1e8)]))).toEqual(charged);
});

test("a ledger that lost nothing agrees with its log; a line of another process may be cut", async () => {
  expect(await svc(gateway.databaseUrl, "ledger", "compare", log)).toMatchObject({ status: 0 });
  const cut = join(folder, "cut.jsonl");
  writeFileSync(cut, `${readFileSync(log, "utf8")}{"at":"2026-`);
  const ran = await svc(gateway.databaseUrl, "ledger", "compare", cut);
  expect([ran.status, ran.json()["unreadable"], ran.json()["lost_count"]]).toEqual([1, 1, 0]);
});

test("a restored ledger lost exactly the calls since the backup; --post brings balances to where they were, once", async () => {
  const found = await svc(restored.url, "ledger", "compare", log);
  expect(found.status).toBe(1);
  const { lost, unlogged, different, unknown } = found.json() as Record<string, { request_id: string }[]>;
  expect(lost!.map(({ request_id }) => request_id).sort()).toEqual([...later].sort());
  expect({ unlogged, different, unknown }).toEqual({ unlogged: [], different: [], unknown: [] });
  const balances = async (url: string) => {
    const of = async ({ id }: TestAccount) => (await svc(url, "account", "show", id)).json()["balance"];
    return [await of(account), await of(poor)];
  };
  expect(await balances(restored.url)).not.toEqual(await balances(gateway.databaseUrl));
  expect(await svc(restored.url, "ledger", "compare", log, "--post")).toMatchObject({ status: 0 });
  expect(await balances(restored.url)).toEqual(await balances(gateway.databaseUrl));

  const again = await svc(restored.url, "ledger", "compare", log, "--post");
  expect([again.status, again.json()["posted"], again.json()["lost_count"]]).toEqual([0, 0, 0]);
  expect(await balances(restored.url)).toEqual(await balances(gateway.databaseUrl));
  expect((await svc(restored.url, "ledger", "audit")).json()).toMatchObject({ mismatches: [] });
  expect((await svc(restored.url, "ledger", "verify")).json()).toMatchObject({ broken: null });
});

test("what the log has not, what the ledger has otherwise and whose account is gone are listed apart; several files are one log", async () => {
  const [first, ...others] = readFileSync(log, "utf8").trim().split("\n") as [string, ...string[]];
  const strange = { ...(JSON.parse(first) as object), id: "00000000-0000-7000-8000-000000000001", account_id: "acc_999999" };
  const [old, rest] = [join(folder, "old.jsonl.gz"), join(folder, "rest.jsonl")];
  writeFileSync(old, gzipSync(`${first.replace(/"usd":"[^"]*"/, '"usd":"7"')}\n`));
  writeFileSync(rest, [...others.slice(0, 1), ...others.slice(2), JSON.stringify(strange)].join("\n"));
  const found = await svc(gateway.databaseUrl, "ledger", "compare", old, rest);
  expect(found.json()).toMatchObject({
    ...{ logged: 5, lost: [], unknown: [{ account_id: "acc_999999" }], different: [{ usd: 7, posted_usd: Number(JSON.parse(first).usd) }] },
    unlogged: [{ request_id: (JSON.parse(others[1]!) as { request_id: string }).request_id }],
  });
  expect(found.status).toBe(1);
});

test("a line that no gateway wrote is counted as unreadable, and does not end the comparison of the others", async () => {
  const [first] = lines() as [Record<string, string>];
  const strange = [
    ...["-".repeat(36), "0-0000000-0000-7000-8000-000000000001", ""].map((id) => ({ id })),
    ...["+275760-09-13T00:00:00.000Z", "0000-00-00T00:00:00.000Z", "9"].map((at) => ({ at })),
    ...["99999999999999", "1e5", "-1", "0"].map((usd) => ({ usd })),
    ...["9".repeat(19), "0"].map((account_id) => ({ account_id })),
    ...["req_\u0000", "", "r".repeat(10_000)].map((request_id) => ({ request_id })),
  ];
  const mixed = join(folder, "mixed.jsonl");
  writeFileSync(mixed, `${strange.map((one) => `${JSON.stringify({ ...first, ...one })}\n`).join("")}${readFileSync(log, "utf8")}`);
  const ran = await svc(gateway.databaseUrl, "ledger", "compare", mixed);
  expect([ran.stderr, ran.status]).toEqual(["", 1]);
  expect(ran.json()).toMatchObject({ unreadable: strange.length, logged: 5, lost: [], unknown: [], different: [], unlogged: [] });
});

test("half a line of a process that was killed is unreadable; the whole one that follows it, without a break, is not", async () => {
  const half = join(folder, "half.jsonl");
  const whole = readFileSync(log, "utf8");
  writeFileSync(half, whole.replace("\n", `\n${whole.slice(0, 60)}`)); // before the second line
  const ran = await svc(gateway.databaseUrl, "ledger", "compare", half);
  expect(ran.json()).toMatchObject({ unreadable: 1, logged: 5, unlogged: [] });
});

test("--post refuses the log of another installation: none of its charges is in a ledger that has others of that time", async () => {
  const other = join(folder, "staging.jsonl");
  const fresh = () => `00000000-0000-7000-8000-${randomBytes(6).toString("hex")}`;
  writeFileSync(other, lines().map((line) => `${JSON.stringify({ ...line, id: fresh() })}\n`).join("")); // prettier-ignore
  const balance = async () => (await svc(gateway.databaseUrl, "account", "show", account.id)).json()["balance"];
  const before = await balance();
  expect((await svc(gateway.databaseUrl, "ledger", "compare", other)).json()).toMatchObject({ lost_count: 5 });
  const ran = await svc(gateway.databaseUrl, "ledger", "compare", other, "--post");
  expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining("another installation")]);
  expect(await balance()).toBe(before);
});

test("a packed file that was cut is named, and nothing is posted", async () => {
  const cut = join(folder, "cut.jsonl.gz");
  const packed = gzipSync(readFileSync(log));
  writeFileSync(cut, packed.subarray(0, packed.length - 20));
  const ran = await svc(gateway.databaseUrl, "ledger", "compare", log, cut, "--post");
  expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining(`${cut} can't be read to its end`)]);
});

test("a file that is something else is refused", async () => {
  const other = join(folder, "other");
  writeFileSync(other, "first\nsecond\n");
  expect(await svc(gateway.databaseUrl, "ledger", "compare", other)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("log of charges"),
  });
});

test("a log that was renamed is left alone, and a new one begins", async () => {
  renameSync(log, join(folder, "charges.jsonl.1"));
  const id = await chat();
  await eventually(() => expect(existsSync(log) && lines().map(({ request_id }) => request_id)).toEqual([id]));
});
