// npm run bench:pages: how long what the console's pages ask for takes beside BENCH_ACCOUNTS (1,000,000) accounts with a key each and BENCH_ROWS
// (10,000,000) rows of the log over 13 months, a fortieth of them of one account. Prints the median of each over HTTP, and with BENCH_PLANS=1 the
// plan of its slowest statement. It needs about 1.2 KB of disk a row. BENCH_DATA names a folder for the database, which stays: a second run there
// fills nothing, and goes on with the sums.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { openSession } from "../../src/accounts/sessions.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import { readConfig } from "../../src/config.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { migrate } from "../../src/db/migrate.ts";
import { accountIdText, keyIdText } from "../../src/ids.ts";
import { rollUp } from "../../src/ledger/summary/roll-up.ts";
import { startGateway } from "../../src/main.ts";
import { makeMonths } from "../support/log-months.ts";

const accounts = Number(process.env.BENCH_ACCOUNTS ?? 1_000_000);
const rows = Number(process.env.BENCH_ROWS ?? 10_000_000);
const plans = process.env.BENCH_PLANS === "1";
const months = 13;
const repeats = 5;
/** Has a fortieth of the log, is an operator, and asks. */
const busy = 1n;
const operator = "operator@example.com";
const dayMs = 24 * 60 * 60_000;

const kept = process.env.BENCH_DATA;
const dataDir = kept ?? mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir, durable: false });
const db = connect(embedded.url, { max: 4, statementTimeoutMs: 0 });
try {
  await migrate(db);
  if (!(await isFilled())) {
    await makeMonths(db, months);
    await timed(`${accounts} accounts`, fillAccounts);
    await timed(`${rows} rows of the log`, fillLog);
  }
  await db.pool.query("vacuum analyze");
  await timed("sums of the log", () => rollUp(db));
  await db.pool.query("vacuum analyze usage_rollup");
  await ask();
} finally {
  await db.close();
  await embedded.stop();
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true });
}

async function isFilled(): Promise<boolean> {
  const { rowCount } = await db.pool.query("select from usage_log limit 1");
  return rowCount !== 0;
}

async function fillAccounts(): Promise<void> {
  await inSteps(accounts, async (from, to) => {
    await db.pool.query(
      `insert into account (email, email_norm, email_verified_at, created_at)
       select mail, mail, now(), now() - (n::float8 / $3 * 395) * interval '1 day'
       from generate_series($1::bigint, $2::bigint - 1) n, lateral (select case when n = 0 then $4 else 'person-' || n || '@example.com' end as mail) m`,
      [from, to, accounts, operator],
    );
    await db.pool.query(
      `insert into api_key (account_id, hash, prefix, last4, name, is_default)
       select n + 1, sha256(n::text::bytea), 'sk-svc-', '0000', 'Default', true from generate_series($1::bigint, $2::bigint - 1) n`,
      [from, to],
    );
    await db.pool.query(
      `insert into ledger_entry (account_id, created_at, id, kind, amount, ref)
       select n + 1, now() - interval '400 days', gen_random_uuid(), 'deposit', 1000000000, 'bench' from generate_series($1::bigint, $2::bigint - 1) n`,
      [from, to],
    );
  });
}

async function fillLog(): Promise<void> {
  await inSteps(rows, async (from, to) => {
    await db.pool.query(
      `insert into usage_log (account_id, created_at, id, request_id, key_id, operation, model, model_type, status, http_status, error_code,
         input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated, cost, reserved, prices, attempts, stream,
         latency_ms, first_byte_ms)
       select a.id, now() - (n::float8 / $3 * 395) * interval '1 day', gen_random_uuid(), 'req_' || n, a.id,
         (array['createChatCompletion', 'createMessage'])[1 + n % 2], 'maker/model-' || n % 7, 'language',
         case when n % 50 = 0 then 'failed' else 'success' end, case when n % 50 = 0 then 503 else 200 end,
         case when n % 50 = 0 then 'upstream_unavailable' end, 1000, 10, 0, 200, 0, false, case when n % 50 = 0 then 0 else n % 9000 end, 90000,
         '{"model":"maker/model","input":"200","output":"800","cached":null,"per_request":"0"}',
         jsonb_build_array(jsonb_build_object('route', 'host/model-' || n % 7, 'model', 'maker/model-' || n % 7, 'outcome', 'ok', 'status', 200,
           'latency_ms', 812)),
         n % 3 > 0, (200 * exp(3 * random()))::int, (50 * exp(2 * random()))::int
       from generate_series($1::bigint, $2::bigint - 1) n,
         lateral (select case when n % 40 = 0 then $4::bigint else 2 + n % ($5::bigint - 1) end as id) a`,
      [from, to, rows, busy, accounts],
    );
  });
}

async function inSteps(count: number, work: (from: number, to: number) => Promise<void>): Promise<void> {
  const step = 100_000;
  for (let from = 0; from < count; from += step) await work(from, Math.min(from + step, count));
}

async function ask(): Promise<void> {
  const config = readConfig({ SVC_DATA_DIR: dataDir, PORT: "0", SVC_OPERATORS: operator });
  const { catalog } = loadCatalog({
    path: new URL("../../src/catalog/default.yaml", import.meta.url).pathname,
    environment: config.environment,
    simulatorUrl: "http://127.0.0.1:1",
  });
  const gateway = await startGateway(config, { databaseUrl: embedded.url, catalog, log: pino({ level: "silent" }) });
  const seen = watchStatements(gateway.context.db);
  const { token } = await openSession(gateway.context.db, { accountId: busy, at: new Date() });
  for (const path of [...ownPaths(), ...operatorPaths()]) await measure(gateway.url, path, token, seen);
  await gateway.stop();
}

function ago(days: number): string {
  return encodeURIComponent(new Date(Date.now() - days * dayMs).toISOString());
}

/** What the pages of an account read. */
function ownPaths(): string[] {
  const of = (folder: string, ...rests: string[]) => rests.map((rest) => `/v1/${folder}${rest}`);
  return [
    ...of("auth", "/session", "/sessions", "/totp", "/options", "/keys", `/keys/${keyIdText(busy)}/usage`, "/limits"),
    ...of("credits", "/balance", "/ledger", "/grants", "/auto-topup", "/statements", `/statements/${lastMonth()}`, "/pricing"),
    ...of("workspace", "", "/members", "/invitations", "/domains", "/notices", "/notices/log", "/webhooks"),
    ...of("auth/usage/logs", "", "?status=failed&limit=100", "?model=maker%2Fmodel-3&limit=100", `?key=${keyIdText(busy)}&limit=100`),
    ...of("auth/usage/logs", `?from=${ago(200)}&to=${ago(199)}`),
    ...of("usage/summary", `?from=${ago(1)}&bucket=hour`, `?from=${ago(390)}&bucket=month&group_by=model&timezone=Europe/Berlin`),
    ...["model", "key", "member", "operation", "status", "tag"].map(
      (group) => `/v1/usage/summary?from=${ago(30)}&bucket=day&group_by=${group}`,
    ),
    `/v1/usage/summary?from=${ago(30)}&bucket=day&group_by=model,key,status`,
    ...["/v1/usage/req_0", "/v1/models", "/v1/pricing", "/v1/pricing/history", "/v1/workspaces"],
  ];
}

function lastMonth(): string {
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  return new Date(Date.UTC(year, month - 1)).toISOString().slice(0, 7);
}

/** What the operators' pages read. */
function operatorPaths(): string[] {
  const someone = accountIdText(BigInt(Math.floor(accounts / 2)));
  const of = (folder: string, ...rests: string[]) => rests.map((rest) => `/v1/operator/${folder}${rest}`);
  return [
    ...of("overview", "", `?from=${ago(30)}`),
    ...of("usage/summary", `?from=${ago(1)}&bucket=hour`, `?from=${ago(30)}&bucket=day`, `?from=${ago(390)}&bucket=month`),
    ...["account", "model", "provider", "route"].flatMap((group) =>
      [1, 30].map((days) => `/v1/operator/usage/summary?from=${ago(days)}&bucket=month&group_by=${group}`),
    ),
    ...of("accounts", "", "?status=suspended", "?email=person-77", `?email=${encodeURIComponent("9999@example.com")}`),
    ...of("accounts", `/${someone}`, `/${someone}/ledger`, `/${accountIdText(busy)}`, `/${accountIdText(busy)}/ledger`),
    ...of("calls", "", "?status=failed", "?model=maker%2Fmodel-3", "?request_id=req_4711", `?account=${someone}`, "/req_4711"),
    ...of("calls", `?from=${ago(200)}&to=${ago(199)}`, `?account=${accountIdText(busy)}&status=failed`),
    ...["me", "jobs", "jobs?status=failed", "providers", "settings", "catalog", "catalog/versions", "ledger", "operators"].map(
      (page) => `/v1/operator/${page}`,
    ),
    ...of("audit", "", "?action=account.suspend", `?target=${someone}`),
  ];
}

interface Statement {
  text: string;
  values: unknown[] | undefined;
  ms: number;
}

/** What is asked of the database, with the time that each took. */
function watchStatements({ pool }: Db): Statement[] {
  const seen: Statement[] = [];
  const query = pool.query.bind(pool) as (...words: unknown[]) => Promise<unknown>;
  (pool as { query: unknown }).query = async (...words: unknown[]) => {
    const began = performance.now();
    const [asked, values] = words as [string | { text: string; values?: unknown[] }, unknown[] | undefined];
    const answer = await query(...words);
    const { text, values: bound } =
      typeof asked === "string" ? { text: asked, values } : { text: asked.text, values: asked.values ?? values };
    seen.push({ text, values: bound, ms: performance.now() - began });
    return answer;
  };
  return seen;
}

async function measure(url: string, path: string, token: string, seen: Statement[]): Promise<void> {
  const times: number[] = [];
  let status = 0;
  for (let n = 0; n < repeats; n += 1) {
    const began = performance.now();
    const reply = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    const body = await reply.text();
    times.push(performance.now() - began);
    ({ status } = reply);
    if (status !== 200) console.log(body.slice(0, 300));
  }
  const median = times.sort((one, other) => one - other)[Math.floor(repeats / 2)]!;
  console.log(`${median > 200 ? "SLOW " : "     "}${median.toFixed(0).padStart(6)} ms  ${status}  ${path}`);
  const [slowest] = seen.splice(0).sort((one, other) => other.ms - one.ms);
  if (!plans || slowest === undefined || !/^\s*(select|with)/i.test(slowest.text)) return;
  const plan = await db.pool.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers, costs off) ${slowest.text}`, slowest.values);
  for (const row of plan.rows) console.log(`        ${row["QUERY PLAN"]}`);
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}
