// npm run bench:audio: what the gateway adds to speech, transcription and lists of voices, accounting on and durable, beside the upstream
// itself and a bare node + undici pass-through in the same run, slices interleaved. Believe the ratios, not the absolute figures.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "../../src/db/connect.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { audit } from "../../src/ledger/audit.ts";
import { toUsd } from "../../src/money.ts";
import { highTiers } from "../support/tiers.ts";
import { type Call, callOf, formOf, type Slice, share, slice, type Target } from "./audio-load.ts";
import { mp3Of } from "./audio-files.ts";
import { endChildren, median, startChild } from "./processes.ts";

const sliceMs = Number(process.env.BENCH_MS ?? 800);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** A server is measured as it runs all day: compiled, not compiling. */
const warmUpMs = 6_000;
/** One of the parts below alone. */
const only = process.env.BENCH_ONLY;
const text = "A sentence of a hundred characters, which a voice reads out aloud and which is billed by character..";
/** In 1e-8 USD: a text at 0.1 USD a thousand characters, a minute heard at 0.006. */
const costOfText = BigInt(text.length) * 10_000n;
const costOfMinute = 600_000n;
const firstAfterMs = 40;
const streamedBytes = 2 * 1024 * 1024;
const megabyte = 1024 * 1024;
const models = {
  "a/first": { route: "a", model: `bytes-32768-after-${firstAfterMs}` },
  "b/first": { route: "b", model: `bytes-32768-after-${firstAfterMs}` },
  "a/long": { route: "a", model: `bytes-${streamedBytes}-after-0` },
  "b/long": { route: "b", model: `bytes-${streamedBytes}-after-0` },
};

/** The same work through the gateway, and as the upstream is asked for it. */
interface Pair {
  gateway: Call;
  upstream: Call;
  /** Of one call, in 1e-8 USD. */
  cost: bigint;
}

type Results = Record<Target["name"], Slice[]>;

let expected = 0n;
let calls = 0;
const dir = mkdtempSync(join(tmpdir(), "svc-bench-"));
const embedded = await startEmbedded({ dataDir: dir, durable: true });
try {
  const upstream = await startChild(["test/bench/audio-upstream.ts", "upstream"], /^(\d+ \d+)\n/);
  const [port, filesPort] = upstream.found.split(" ");
  const upstreamUrl = `http://127.0.0.1:${port}`;
  const reference = await startChild(["test/bench/audio-upstream.ts", "reference", upstreamUrl], /^(\d+)\n/);
  const catalog = writeCatalog(upstreamUrl);
  const gateway = await startGateway(catalog);
  const key = await createAccount(catalog);
  const direct: Target = { name: "direct", url: upstreamUrl, pid: null };
  const between: Target[] = [
    { name: "reference", url: `http://127.0.0.1:${reference.found}`, pid: reference.pid },
    { name: "gateway", url: gateway.url, pid: gateway.pid },
  ];
  const all = [direct, ...between];
  await warmUp(between, key);
  const parts: Record<string, () => Promise<void>> = {
    first: () => reportFirstBytes(all, key),
    streams: () => reportStreams(between, key),
    transcription: () => reportTranscription(between, key, `https://127.0.0.1:${filesPort}`, catalog),
    voices: () => reportVoices(between, key),
  };
  for (const [name, part] of Object.entries(parts)) if (only === undefined || only === name) await part();
  await reportMoney();
} finally {
  await endChildren();
  await embedded.stop();
  rmSync(dir, { recursive: true, force: true });
}

async function warmUp(targets: Target[], key: string): Promise<void> {
  const form = formOf({ model: "stt" }, await mp3Of(10));
  const pairs = [
    ...(["a", "b"] as const).flatMap((family) => [
      speech(key, family, `${family}/first`, "mp3_44100_128"),
      speech(key, family, `${family}/long`, "pcm_44100"),
    ]),
    speech(key, "b", "b/long", "ulaw_8000"),
    transcription(key, form, 1n),
    voices(key),
  ];
  await Promise.all(targets.flatMap((target) => pairs.map((pair) => make(target, pair, 2, warmUpMs))));
}

async function reportFirstBytes(targets: Target[], key: string): Promise<void> {
  console.log(`time to the first byte of audio, from an upstream that takes ${firstAfterMs} ms (ms, p50 / p95; added: over direct)`);
  for (const [family, what] of [
    ["a", "family A"],
    ["b", "family B, stream: true"],
  ] as const)
    for (const connections of [1, 16]) {
      const results = await measure(targets, speech(key, family, `${family}/first`, "mp3_44100_128"), connections);
      const at = (name: Target["name"], part: number) => median(results[name].map(({ firstMs }) => share(firstMs, part)));
      const cells = targets.map(({ name }) => {
        const added = (part: number) => (at(name, part) - at("direct", part)).toFixed(1);
        const figures = `${at(name, 0.5).toFixed(1)} / ${at(name, 0.95).toFixed(1)}`;
        return `${name} ${figures}${name === "direct" ? "" : ` (added ${added(0.5)} / ${added(0.95)})`}`;
      });
      console.log(`  ${`${what}, ${connections} ${connections === 1 ? "connection" : "connections"}`.padEnd(40)} ${cells.join("   ")}`);
    }
}

async function reportStreams(targets: Target[], key: string): Promise<void> {
  console.log(
    "streamed audio, 4 connections (CPU a MB of audio that the upstream sent; x: over the pass-through; memory: highest, and its rise)",
  );
  const formats = { a: ["mp3_44100_128", "pcm_44100"], b: ["mp3_44100_128", "pcm_44100", "ulaw_8000"] } as const;
  for (const family of ["a", "b"] as const)
    for (const format of formats[family]) {
      const results = await measure(targets, speech(key, family, `${family}/long`, format), 4);
      const perMegabyte = streamedBytes / megabyte;
      report(`family ${family.toUpperCase()}, ${format}`, targets, results, perMegabyte, "MB");
    }
}

async function reportTranscription(targets: Target[], key: string, filesUrl: string, catalog: string): Promise<void> {
  console.log("transcription (CPU a request; memory: highest, and its rise)");
  const tenSeconds = await mp3Of(10);
  const small = formOf({ model: "stt" }, tenSeconds);
  report("form, 10 s of mp3, 8 connections", targets, await measure(targets, transcription(key, small, 1n), 8), 1, "request");
  const large = Buffer.concat(Array.from({ length: Math.ceil(26_000_000 / tenSeconds.length) }, () => tenSeconds)).subarray(0, 26_000_000);
  const form = transcription(key, formOf({ model: "stt" }, large), 28n);
  const fromUrl = (path: string, minutes: bigint): Pair => {
    const body = JSON.stringify({ model: "stt", audio_url: `${filesUrl}${path}` });
    return { gateway: callOf("/v1/audio/transcriptions", key, body), upstream: form.upstream, cost: minutes * costOfMinute };
  };
  const bytes = 100 * megabyte;
  const cases: [string, Pair][] = [
    ["form, 25 MB of mp3 (27 min)", form],
    ["audio_url, 100 MB of wav (55 min)", fromUrl(`/${bytes}/long.wav`, 55n)],
    ["audio_url, 100 MB of mp3 (109 min)", fromUrl(`/${bytes}/long.mp3`, 110n)],
  ];
  console.log("  one at a time, each kind on a gateway that has only just begun");
  for (const [what, pair] of cases) {
    const fresh: Target = { name: "gateway", ...(await startGateway(catalog)) };
    await make(fresh, transcription(key, small, 1n), 1, sliceMs);
    const slices: Slice[] = [];
    for (let round = 0; round < rounds; round += 1) slices.push(await make(fresh, pair, 1, 0));
    const figures = slices.map(
      ({ firstMs, cpuUs, rise, peak }) =>
        `${firstMs[0]!.toFixed(0)} ms, CPU ${(cpuUs / 1000).toFixed(0)} ms, memory ${peak.toFixed(0)} MB (+${rise.toFixed(0)})`,
    );
    console.log(`  ${what.padEnd(40)} ${figures.join("   ")}`);
  }
}

async function reportVoices(targets: Target[], key: string): Promise<void> {
  console.log("list of 3,300 voices, compressed, 8 connections; the pass-through gets it packed");
  report("GET /v1/audio/voices?provider=all", targets, await measure(targets, voices(key), 8), 1, "request");
}

async function reportMoney(): Promise<void> {
  const db = connect(embedded.url, { max: 2 });
  const { rows } = await db.pool.query<{ sum: bigint; count: bigint; open: bigint }>(
    "select coalesce(-sum(amount), 0)::bigint as sum, count(*) as count, (select count(*) from hold) as open from ledger_entry where kind = 'usage'",
  );
  const { sum, count, open } = rows[0]!;
  const { mismatches } = await audit(db);
  await db.close();
  const right = sum === expected && Number(count) === calls && mismatches.length === 0;
  console.log(
    `money: ${calls} calls, usage x price ${toUsd(expected)} USD; ${count} entries, ${toUsd(sum)} USD; ${open} holds open, ${mismatches.length} mismatches: ${right ? "equal" : "NOT EQUAL"}`,
  );
  if (!right) process.exitCode = 1;
}

/** A slice of each target in turn, so many rounds, after one that doesn't count. */
async function measure(targets: Target[], pair: Pair, connections: number): Promise<Results> {
  const results: Results = { direct: [], reference: [], gateway: [] };
  for (const target of targets) await make(target, pair, connections, sliceMs / 4);
  for (let round = 0; round < rounds; round += 1)
    for (const target of targets) results[target.name].push(await make(target, pair, connections, sliceMs));
  return results;
}

async function make(target: Target, pair: Pair, connections: number, forMs: number): Promise<Slice> {
  if (target.name !== "gateway") return slice(target, pair.upstream, connections, forMs);
  const made = await slice(target, pair.gateway, connections, forMs);
  if (pair.cost > 0n) {
    expected += BigInt(made.calls) * pair.cost;
    calls += made.calls;
  }
  return made;
}

function report(what: string, targets: Target[], results: Results, unitsPerCall: number, unit: string): void {
  const base = results.reference;
  for (const { name } of targets) {
    const slices = results[name];
    const of = (figure: (one: Slice, round: number) => number) => median(slices.map(figure));
    const figures = [
      `CPU ${of(({ cpuUs }) => cpuUs / unitsPerCall).toFixed(0)} us/${unit}`,
      `${of(({ cpuUs }, round) => cpuUs / base[round]!.cpuUs).toFixed(2)}x`,
      `${of(({ perSecond }) => perSecond).toFixed(0)}/s`,
      `${of(({ megabytesPerSecond }) => megabytesPerSecond).toFixed(0)} MB/s`,
      `memory ${of(({ peak }) => peak).toFixed(0)} MB (+${of(({ rise }) => rise).toFixed(0)})`,
    ];
    console.log(`  ${what.padEnd(40)} ${name.padEnd(10)} ${figures.join("   ")}`);
  }
}

function speech(key: string, family: "a" | "b", model: keyof typeof models, format: string): Pair {
  const upstreamModel = models[model].model;
  const upstream =
    family === "a"
      ? callOf(`/v1/text-to-speech/v/stream?output_format=${format}`, null, JSON.stringify({ text, model_id: upstreamModel }))
      : callOf("/v1/t2a_v2", null, JSON.stringify({ model: upstreamModel, text, stream: true }));
  const body = JSON.stringify({ model, input: text, response_format: format, stream: true });
  return { gateway: callOf("/v1/audio/speech", key, body), upstream, cost: costOfText };
}

function transcription(key: string, form: { type: string; body: Buffer }, minutes: bigint): Pair {
  const call = (withKey: string | null) => callOf("/v1/audio/transcriptions", withKey, form.body, form.type);
  return { gateway: call(key), upstream: call(null), cost: minutes * costOfMinute };
}

function voices(key: string): Pair {
  const headers = { "accept-encoding": "gzip" };
  return {
    gateway: { method: "GET", path: "/v1/audio/voices?provider=all", headers: { ...headers, authorization: `Bearer ${key}` }, body: null },
    upstream: { method: "GET", path: "/voices-packed", headers, body: null },
    cost: 0n,
  };
}

function writeCatalog(upstreamUrl: string): string {
  const catalog = join(dir, "catalog.json");
  const speechModel = (id: string, { route, model }: { route: string; model: string }) => ({
    ...{
      id,
      type: "speech",
      voice_family: `provider_${route}`,
      default_voice: "v",
      pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.1 },
    },
    routes: [{ provider: route, model }],
  });
  writeFileSync(
    catalog,
    JSON.stringify({
      tiers: highTiers(),
      providers: [
        { id: "a", protocol: "elevenlabs", base_url: upstreamUrl },
        { id: "b", protocol: "minimax", base_url: upstreamUrl },
        { id: "stt", protocol: "openai", base_url: `${upstreamUrl}/v1` },
      ],
      models: [
        ...Object.entries(models).map(([id, choice]) => speechModel(id, choice)),
        {
          id: "stt",
          type: "transcription",
          pricing: { mode: "per-minute", usd_per_minute: 0.006, min_billable_minutes: 1 },
          routes: [{ provider: "stt", model: "stt" }],
        },
      ],
    }),
  );
  return catalog;
}

function environmentOf(catalog: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...{ DATABASE_URL: embedded.url, SVC_CATALOG: catalog, SVC_DATA_DIR: dir, PORT: "0", LOG_LEVEL: "warn", SVC_ALLOW_PRIVATE_URLS: "1" },
    NODE_EXTRA_CA_CERTS: fileURLToPath(new URL("../media/files/tls-certificate.pem", import.meta.url)),
  };
}

async function startGateway(catalog: string): Promise<{ url: string; pid: number }> {
  const { found, pid } = await startChild(["src/cli/main.ts", "start"], /gateway ready (http:\S+)/, { env: environmentOf(catalog) });
  return { url: found, pid };
}

async function createAccount(catalog: string): Promise<string> {
  const account = ["src/cli/main.ts", "account", "create", "--email", "bench@bench.test", "--deposit", "100000", "--json"];
  return (await startChild(account, /"api_key":\s*"([^"]+)"/, { env: environmentOf(catalog) })).found;
}
