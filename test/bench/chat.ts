// npm run bench:chat: CPU of the gateway per chat request and per streamed chunk, accounting on and durable, against
// a bare node + undici pass-through in the same run. Slices interleave; believe the ratios, not the absolute figures.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { connect } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { audit } from "../../src/ledger/audit.ts";
import { highTiers } from "../support/tiers.ts";
import { cpuOf, cpuOfAll, endChildren, median, startChild, ticksPerSecond } from "./processes.ts";

const sliceMs = Number(process.env.BENCH_MS ?? 4_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** A server is measured as it runs all day: compiled, not compiling. */
const warmUpMs = 6_000;
const chunksPerStream = 203;

interface Target {
  name: string;
  url: string;
  pid: number;
  headers: Record<string, string>;
  model: string;
}

interface Slice {
  cpuUs: number;
  postgresUs: number;
  perSecond: number;
  p50: number;
  p99: number;
}

const dir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir: dir, durable: true });
try {
  const upstream = await startChild(["test/bench/chat-upstream.ts", "upstream"], /^(\d+)\n/);
  const upstreamUrl = `http://127.0.0.1:${upstream.found}`;
  const reference = await startChild(["test/bench/chat-upstream.ts", "reference", upstreamUrl], /^(\d+)\n/);
  const gateway = await startGatewayProcess(upstreamUrl);
  const targets: Target[] = [
    { name: "reference", url: `http://127.0.0.1:${reference.found}`, pid: reference.pid, headers: {}, model: "up" },
    { name: "gateway", url: gateway.url, pid: gateway.pid, headers: { authorization: `Bearer ${gateway.key}` }, model: "bench" },
  ];
  await report("chat, 64 connections", targets, 64, false, 1);
  await report(`stream of ${chunksPerStream} records, 16 connections`, targets, 16, true, chunksPerStream);
  const db = connect(embedded.url, { max: 2 });
  const { entries, mismatches } = await audit(db);
  console.log(`audit: ${entries} entries, ${mismatches.length} mismatches`);
  if (mismatches.length > 0) process.exitCode = 1;
  await db.close();
} finally {
  await endChildren();
  await embedded.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function report(title: string, targets: Target[], connections: number, stream: boolean, unitsPerRequest: number): Promise<void> {
  console.log(title);
  for (const target of targets) await slice(target, connections, stream, warmUpMs, unitsPerRequest);
  const results = new Map<string, Slice[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) results.get(target.name)?.push(await slice(target, connections, stream, sliceMs, unitsPerRequest));
  const base = results.get("reference") as Slice[];
  for (const [name, slices] of results) {
    const ratio = median(slices.map(({ cpuUs }, round) => cpuUs / (base[round] as Slice).cpuUs));
    const figures = [
      `CPU ${median(slices.map((s) => s.cpuUs)).toFixed(1)} us`,
      `${ratio.toFixed(2)}x`,
      `Postgres ${median(slices.map((s) => s.postgresUs)).toFixed(1)} us`,
      `${median(slices.map((s) => s.perSecond)).toFixed(0)}/s`,
      `p50 ${median(slices.map((s) => s.p50)).toFixed(1)} ms`,
      `p99 ${median(slices.map((s) => s.p99)).toFixed(1)} ms`,
    ];
    console.log(`  ${name.padEnd(10)} ${figures.join("   ")}   (per ${unitsPerRequest === 1 ? "request" : "record"})`);
  }
}

async function slice(target: Target, connections: number, stream: boolean, forMs: number, unitsPerRequest: number): Promise<Slice> {
  const pool = new Pool(target.url, { connections, pipelining: 1 });
  const body = JSON.stringify({
    model: target.model,
    messages: [{ role: "user", content: "Say something. ".repeat(60) }],
    max_tokens: 400,
    stream,
  });
  const latencies: number[] = [];
  const before = { cpu: cpuOf(target.pid), postgres: cpuOfAll(embedded.pid), at: performance.now() };
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - before.at < forMs) {
        const at = performance.now();
        const answer = await pool.request({
          method: "POST",
          path: "/v1/chat/completions",
          headers: { "content-type": "application/json", ...target.headers },
          body,
        });
        const text = await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`${target.name}: ${answer.statusCode} ${text}`);
        latencies.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - before.at) / 1000;
  const units = latencies.length * unitsPerRequest;
  const perUnit = (ticks: number) => (ticks / ticksPerSecond / units) * 1e6;
  const result = {
    cpuUs: perUnit(cpuOf(target.pid) - before.cpu),
    postgresUs: perUnit(cpuOfAll(embedded.pid) - before.postgres),
    perSecond: latencies.length / seconds,
  };
  await pool.close();
  latencies.sort((a, b) => a - b);
  return { ...result, p50: latencies[Math.floor(latencies.length / 2)] ?? 0, p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0 };
}

async function startGatewayProcess(upstreamUrl: string): Promise<{ url: string; pid: number; key: string }> {
  const catalog = join(dir, "catalog.yaml");
  writeFileSync(
    catalog,
    `providers: [{ id: up, protocol: openai, base_url: "${upstreamUrl}/v1" }]
tiers: ${JSON.stringify(highTiers())}
models: [{ id: bench, type: language, context_window: 128000, max_output_tokens: 4096, pricing: { mode: per-token, input: 0.5, output: 1.5 }, routes: [{ provider: up, model: up }] }]
`,
  );
  const env = { ...process.env, DATABASE_URL: embedded.url, SVC_CATALOG: catalog, SVC_DATA_DIR: dir, PORT: "0", LOG_LEVEL: "warn" };
  const started = await startChild(["src/cli/main.ts", "start"], /gateway ready (http:\S+)/, env);
  const created = await startChild(
    ["src/cli/main.ts", "account", "create", "--email", "bench@bench.test", "--deposit", "100000", "--json"],
    /"api_key":\s*"([^"]+)"/,
    env,
  );
  return { url: started.found, pid: started.pid, key: created.found };
}
