// npm run bench:pages: how long each operation that reads takes beside BENCH_ACCOUNTS (1,000,000) accounts and BENCH_ROWS (10,000,000) rows of the log
// over 13 months, with as many entries of the ledger. The goal is 200 ms. Prints the median of five of each over HTTP, alone and warm, and the pages
// that its statements touch, with BENCH_PLANS=1 the plan of the statement that touches most. It needs about 2 KB of disk a row. BENCH_DATA names a
// folder for the database, which stays: a second run there fills nothing. BENCH_PAGE names a file that gets it all as a page. BENCH_ONLY, an
// expression, chooses among the paths.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { makeKey } from "../../src/accounts/keys.ts";
import { openSession } from "../../src/accounts/sessions.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import { readConfig } from "../../src/config.ts";
import { connect, type Db, type Queries } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { accountIdText, keyIdText, topupIdText } from "../../src/ids.ts";
import { addUpBalances } from "../../src/ledger/audits.ts";
import { rollUp } from "../../src/ledger/summary/roll-up.ts";
import { startGateway } from "../../src/main.ts";
import { describeMachine } from "./machine.ts";
import { accountAt, addSums, busy, fill, operator } from "./pages-fill.ts";
import { type Known, questions } from "./pages-list.ts";
import { type Asked, goalMs, pageOf, shownPath, type Step } from "./pages-report.ts";
import { type Planned, planOf, type Statement, watchStatements } from "./pages-watch.ts";

const size = { accounts: Number(process.env.BENCH_ACCOUNTS ?? 1_000_000), rows: Number(process.env.BENCH_ROWS ?? 10_000_000) };
const repeats = 5;
const asks = new RegExp(process.env.BENCH_ONLY ?? "");
const kept = process.env.BENCH_DATA;
const dataDir = kept ?? mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: false });
const db = connect(embedded.url, { max: 4, statementTimeoutMs: 0 });
const steps: Step[] = [];
try {
  await migrate(db);
  const { rowCount } = await db.pool.query("select from usage_log limit 1");
  if (rowCount === 0) await make();
  await timed("the minute's task, since yesterday", () => rollUp(db));
  await timed("the sums of all balances", () => addUpBalances(db));
  const asked = await ask();
  const page = pageOf({ asked, steps, size, machine: describeMachine(), load: loadavg()[0]! });
  if (process.env.BENCH_PAGE !== undefined) writeFileSync(process.env.BENCH_PAGE, page);
  const refused = asked.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`not answered with 200: ${refused.map(({ path }) => path).join(", ")}`);
} finally {
  await db.close();
  await embedded.stop();
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}

async function make(): Promise<void> {
  await fill(db, size, timed);
  await timed("sums until yesterday", () => addSums(db));
  await timed("the same sums by the minute's task, of one day", () => proveSums());
  await timed("statistics of the rest", () => db.pool.query("vacuum analyze"));
}

/** The day before yesterday, added by the minute's task in its own steps, has the sums that one statement made of its month. */
async function proveSums(): Promise<void> {
  const tables = ["usage_rollup", "usage_total", "usage_fact", "usage_active"];
  const client = await db.pool.connect();
  const queries: Queries = { pool: client };
  try {
    await client.query("begin");
    const since = "(select closed_until - interval '1 day' from usage_rollup_state)";
    for (const table of tables) {
      await client.query(`create temp table made_${table} on commit drop as select * from ${table} where starts_at >= ${since}`);
      await client.query(`delete from ${table} where starts_at >= ${since}`);
    }
    await client.query(`update usage_rollup_state set closed_until = ${since}`);
    const added = await rollUp(queries);
    for (const table of tables) {
      const { rows } = await client.query<{ all: bigint; different: bigint }>(
        `select (select count(*) from made_${table}) as all, (select count(*) from (
           (select * from ${table} where starts_at >= (select min(starts_at) from made_${table}) except select * from made_${table})
           union all (select * from made_${table} except select * from ${table})) d) as different`,
      );
      const [{ all, different } = { all: 0n, different: 0n }] = rows;
      console.log(`  ${table}: ${all} rows of ${added} calls, ${different} differ`);
      if (all === 0n || different !== 0n) throw new Error(`the sums of ${table} are not those that the minute's task makes`);
    }
  } finally {
    client.release(true); // rolls back
  }
}

async function ask(): Promise<Asked[]> {
  await db.pool.query("update account set assigned_tier = 4, response_retention_days = 30 where id = $1", [busy]);
  const key = makeKey();
  await db.pool.query("insert into api_key (account_id, hash, prefix, last4, name, created_by) values ($1, $2, $3, $4, 'Bench', $1)", [
    busy,
    key.hash,
    key.prefix,
    key.last4,
  ]);
  const config = readConfig({
    SVC_DATA_DIR: dataDir,
    PORT: "0",
    SVC_OPERATORS: operator,
    SVC_RESPONSES_SECRET: "a secret of a temporary database",
  });
  const { catalog } = loadCatalog({
    path: new URL("../../src/catalog/default.yaml", import.meta.url).pathname,
    environment: config.environment,
    simulatorUrl: "http://127.0.0.1:1",
  });
  const gateway = await startGateway(config, { databaseUrl: embedded.url, catalog, log: pino({ level: "silent" }) });
  const seen = watchStatements(gateway.context.db);
  const { token } = await openSession(gateway.context.db, { accountId: busy, at: new Date() });
  const caller = { url: gateway.url, token, key: key.secret };
  const known = await learn(caller, gateway.context.db);
  const asked: Asked[] = [];
  for (const [operation, pathsOf] of Object.entries(questions))
    for (const path of pathsOf(known).filter((path) => asks.test(path)))
      asked.push(await measure(caller, { operation, path }, seen, gateway.context.db));
  await gateway.stop();
  return asked;
}

interface Caller {
  url: string;
  token: string;
  key: string;
}

interface Answer {
  status: number;
  body: { data?: { id: string }[]; has_more?: boolean; last_id?: string | null; id?: string };
}

async function send({ url, token, key }: Caller, path: string, body?: object): Promise<Answer> {
  const byKey = /^\/v1\/(jobs|genmedia|audio|files|batches|conversations)/.test(path);
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { authorization: `Bearer ${byKey ? key : token}`, "content-type": "application/json" };
  const reply = await fetch(`${url}${path}`, { ...init, headers });
  return { status: reply.status, body: (await reply.json()) as Answer["body"] };
}

async function learn(caller: Caller, { pool }: Db): Promise<Known> {
  const first = async (path: string) => (await send(caller, path)).body.data![0]!.id;
  const item = { type: "message", role: "user", content: "Hello" };
  const conversation = (await send(caller, "/v1/conversations", { items: Array.from({ length: 20 }, () => item) })).body.id!;
  const valueOf = async (sql: string, values: unknown[]) => (await pool.query<{ value: string }>(sql, values)).rows[0]!.value;
  const requestOf = (account: bigint) =>
    valueOf("select request_id as value from usage_log where account_id = $1 and status = 'success' order by created_at desc limit 1", [
      account,
    ]);
  const usual = accountAt(Math.ceil(size.accounts / 1000), size.accounts);
  return {
    ...{ busy: accountIdText(busy), usual: accountIdText(usual), idle: accountIdText(accountAt(size.accounts, size.accounts)) },
    ...{ key: keyIdText(busy), request: await requestOf(busy), other: await requestOf(usual), conversation },
    job: await first("/v1/jobs?limit=1"),
    genmediaJob: await valueOf("select shown_id as value from media_job where account_id = $1 and api = 'genmedia' limit 1", [busy]),
    voucher: await first("/v1/operator/vouchers?limit=1"),
    topup: topupIdText(await valueOf("select id as value from topup where account_id = $1 limit 1", [busy])),
    file: await first("/v1/files?limit=1"),
    batch: await first("/v1/batches?limit=1"),
    webhook: await first("/v1/workspace/webhooks"),
    item: await first(`/v1/conversations/${conversation}/items?limit=1`),
  };
}

async function measure(
  caller: Caller,
  { operation, path }: { operation: string; path: string },
  seen: Statement[],
  pages: Db,
): Promise<Asked> {
  const once = await median(caller, path, seen);
  const { has_more: hasMore, last_id: last } = once.body;
  const next =
    hasMore === true && typeof last === "string"
      ? await median(caller, `${path}${path.includes("?") ? "&" : "?"}after=${last}`, seen)
      : null;
  const dearer = next !== null && next.ms > once.ms ? next : once;
  const plans: Planned[] = [];
  for (const statement of dearer.statements)
    if (/^\s*(select|with|\()/i.test(statement.text)) {
      const plan = await planOf(pages, statement).catch(() => null); // a count of a minute that is over by now
      if (plan !== null) plans.push(plan);
    }
  plans.sort((one, other) => other.pages - one.pages);
  const asked = { operation, path, status: once.status, ms: once.ms, databaseMs: once.databaseMs, nextMs: next?.ms ?? null };
  const read = plans.reduce((sum, plan) => sum + plan.pages, 0);
  console.log(
    `${dearer.ms > goalMs ? "SLOW " : "     "}${asked.ms.toFixed(0).padStart(6)} ms ${(asked.nextMs ?? 0).toFixed(0).padStart(6)} ms ${String(read).padStart(7)} pages  ${once.status}  ${shownPath(path)}`,
  );
  if (process.env.BENCH_PLANS === "1") for (const line of plans[0]?.lines ?? []) console.log(`          ${line}`);
  return { ...asked, pages: read, plan: plans[0] ?? null };
}

/** Of five, after one that warms up: the time, what of it the database took, and the statements of the last. */
async function median(caller: Caller, path: string, seen: Statement[]) {
  let { status, body } = await send(caller, path);
  const times: { ms: number; databaseMs: number }[] = [];
  let statements: Statement[] = [];
  for (let n = 0; n < repeats; n += 1) {
    seen.length = 0;
    const began = performance.now();
    ({ status, body } = await send(caller, path));
    const ms = performance.now() - began;
    statements = [...seen];
    times.push({
      ms,
      databaseMs: Math.min(
        ms,
        statements.reduce((sum, statement) => sum + statement.ms, 0),
      ),
    });
  }
  if (status !== 200) console.log(JSON.stringify(body).slice(0, 300));
  times.sort((one, other) => one.ms - other.ms);
  return { status, body, statements, ...times[Math.floor(repeats / 2)]! };
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  const seconds = (performance.now() - began) / 1000;
  steps.push({ what, seconds });
  console.log(`${what}: ${seconds.toFixed(1)} s`);
}
