// What runs on the cluster: a gateway on each machine with the settings of deploy/ha/gateway.env, nginx in front of them by
// deploy/nginx/nginx.conf, a simulator behind them, two accounts, and `svc` as an operator runs it.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../src/db/connect.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { eventually } from "./eventually.ts";
import { type Balancer, startBalancer } from "../scale/balancer.ts";
import { shipped } from "../support/bundle.ts";
import { findTool } from "../support/find-tool.ts";
import { freePort } from "../support/free-port.ts";
import { spawnGateway, type SpawnedGateway } from "../support/spawned-gateway.ts";
import { svcPath } from "../support/svc-path.ts";
import { highTiers } from "../support/tiers.ts";
import { type Cluster, type Name, names, startCluster } from "./cluster.ts";

export interface World {
  cluster: Cluster;
  folder: string;
  gateways: Record<Name, SpawnedGateway | null>;
  keys: string[];
  /** Of nginx. */
  url: string;
  /** By the id of a call: what nginx tried for it. */
  tries(): Map<string, Tried>;
  start(name: Name): Promise<void>;
  /** As a machine that fails ends it. */
  kill(name: Name): Promise<void>;
  /** What all gateways have logged so far, those that were killed too. */
  log(): string;
  /** Runs `svc` on machine a; its JSON, whatever its exit status was. */
  svc<T = Record<string, unknown>>(...words: string[]): Promise<T>;
  /** The same with the settings of another machine. */
  svcWith<T = Record<string, unknown>>(env: Record<string, string>, ...words: string[]): Promise<T>;
  /** Asks the leader, again where it is gone meanwhile. */
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Of all machines, where there is one. */
  chargeLogs(): string[];
  readCharges(): { id: string; request_id: string }[];
  stop(): Promise<void>;
}

/** The gateways that nginx sent a call to, and what they answered: 502, nothing. */
export interface Tried {
  gateways: Name[];
  statuses: string[];
}

export async function openWorld(folder: string): Promise<World> {
  const ha = join(folder, "ha");
  mkdirSync(ha);
  const cluster = await startCluster(ha);
  const simulator = await startSimulator();
  const catalog = join(folder, "catalog.yaml");
  writeFileSync(catalog, catalogText(simulator.url));
  const media = join(folder, "data"); // shared, as one bucket is
  const outputs: SpawnedGateway[] = [];
  const gateways: World["gateways"] = { a: null, b: null, c: null };
  const { env } = cluster.machines.a;
  const ports = [await freePort(), await freePort(), await freePort()];
  const balancer = await startBalancer(findTool("nginx")!, ports, undefined, folder);
  const world: World = {
    ...{ cluster, folder, gateways, keys: [], url: balancer.url },
    tries: () => triesOf(balancer, ports),
    async start(name) {
      const own = {
        ...cluster.machines[name].env,
        ...{
          SVC_CATALOG: catalog,
          SVC_DATA_DIR: media,
          LOG_LEVEL: "warn",
          HOST: "127.0.0.1", // where nginx looks for all three, each at a port of its own
          PORT: String(ports[names.indexOf(name)]),
        },
      };
      const gateway = await spawnGateway(own, shipped("svc"));
      outputs.push(gateway);
      gateways[name] = gateway;
    },
    async kill(name) {
      const gateway = gateways[name];
      gateways[name] = null;
      await gateway?.kill("SIGKILL");
    },
    log: () => outputs.map((gateway) => gateway.output()).join("\n"),
    svc: (...words) => runSvc({ ...env, SVC_DATA_DIR: media }, words),
    svcWith: (other, ...words) => runSvc({ ...other, SVC_DATA_DIR: media }, words),
    query: (sql, values = []) =>
      eventually(async () => {
        const db = connect(env["DATABASE_DIRECT_URL"]!, { max: 1 });
        try {
          return (await db.pool.query(sql, values)).rows as never;
        } finally {
          await db.close();
        }
      }, 60_000),
    chargeLogs: () =>
      Object.values(cluster.machines)
        .flatMap((machine) => machine.env["SVC_CHARGE_LOG"] ?? [])
        .filter(existsSync),
    readCharges: () =>
      world.chargeLogs().flatMap((path) => {
        const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
        return lines.map((line) => JSON.parse(line) as { id: string; request_id: string });
      }),
    async stop() {
      await balancer.stop();
      await Promise.all(names.map((name) => world.kill(name)));
      await cluster.stop();
      await simulator.close();
    },
  };
  try {
    await world.svc("migrate");
    for (const email of ["one@example.com", "two@example.com"]) {
      const made = await world.svc<{ api_key: string }>("account", "create", "--email", email, "--verified", "--deposit", "1000");
      world.keys.push(made.api_key);
    }
    for (const name of names) await world.start(name);
  } catch (error) {
    await world.stop();
    throw error;
  }
  return world;
}

/** As the log of calls in deploy/nginx/nginx.conf has them, the id last. */
const triesLine = /" \d{3} \d+ [\d.]+ ((?:\S+, )*\S+) ((?:\S+, )*\S+) (?:\S+, )*\S+ (?:\S+, )*\S+ (\S+)$/;

function triesOf(balancer: Balancer, ports: readonly number[]): Map<string, Tried> {
  const lines = balancer.log().split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [, addresses, statuses, id] = triesLine.exec(line) ?? [];
      if (id === undefined) return [];
      const gateways = addresses!.split(", ").flatMap((one) => names[ports.indexOf(Number(one.split(":")[1]))] ?? []);
      return [[id, { gateways, statuses: statuses!.split(", ") }]];
    }),
  );
}

/** `svc` in this environment. */
export function runSvc<T>(env: Record<string, string>, words: readonly string[]): Promise<T> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|TMPDIR|TEST_RUN|HOME)$/.test(name)));
  return new Promise((resolve, reject) => {
    // Not synchronously: what it asks goes through this process.
    execFile(
      process.execPath,
      [svcPath, ...words, "--json"],
      { env: { ...inherited, ...env }, timeout: 120_000 },
      (error, out, complaint) => {
        try {
          resolve(JSON.parse(out) as T);
        } catch {
          reject(new Error(`svc ${words.join(" ")} printed no JSON: ${error?.message ?? ""} ${out} ${complaint}`));
        }
      },
    );
  });
}

/** 1e-6 and 2e-6 USD a token, so that every count stands in the cost. */
function catalogText(simulator: string): string {
  const chat = (id: string, upstream: string) => ({
    ...{ id: `demo/${id}`, type: "language", context_window: 100_000, max_output_tokens: 10_000 },
    pricing: { mode: "per-token", input: 1, output: 2 },
    routes: [{ provider: "north", model: upstream }],
  });
  const image = {
    ...{ id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.01 } },
    routes: [{ provider: "queue", model: "ember/quick-image+sim-slow-500ms" }],
  };
  return JSON.stringify({
    providers: [
      { id: "north", protocol: "openai", base_url: `${simulator}/openai/v1` },
      { id: "queue", protocol: "fal", base_url: `${simulator}/fal` },
    ],
    models: [chat("whole", "whole+sim-slow-80ms+sim-tokens-10"), chat("stream", "stream+sim-pace-8ms+sim-tokens-10"), image],
    tiers: highTiers(),
  });
}
