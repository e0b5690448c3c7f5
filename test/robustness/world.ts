// Gateways that are processes, on one database, with a simulator in the test's own process behind them.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createAccount } from "../../src/accounts/admin.ts";
import type { Tier } from "../../src/catalog/types.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import type { Audit } from "../../src/ledger/audit.ts";
import { type Balance, readBalance } from "../../src/ledger/balance.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { parseUsd } from "../../src/money.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { auditAtRest } from "../support/audit.ts";
import { bundled, type Program } from "../support/bundle.ts";
import { freshDatabase } from "../support/database.ts";
import { spawnGateway, type SpawnedGateway } from "../support/spawned-gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { catalogFile, catalogText, perToken } from "./catalog.ts";

export interface WorldOptions {
  models: Record<string, string>;
  pricing?: string;
  tiers?: Tier[];
  /** Of this server; absent: a fresh database of the run's. */
  databaseUrl?: string;
}

export interface World {
  simulator: Simulator;
  databaseUrl: string;
  /** What every gateway gets. */
  env: Record<string, string>;
  db: Db;
  /** From the run's bundle, unless it is to be another program. */
  start(env?: Record<string, string>, program?: Program): Promise<SpawnedGateway>;
  createAccount(deposit: string | null): Promise<{ accountId: bigint; key: string }>;
  balance(account: { accountId: bigint }): Promise<Balance>;
  audit(): Promise<Audit>;
  /** Ends whatever still runs, in whatever state the test left it. */
  stop(): Promise<void>;
}

export async function openWorld({ models, pricing = perToken, tiers = highTiers(), databaseUrl }: WorldOptions): Promise<World> {
  const simulator = await startSimulator();
  const database = databaseUrl === undefined ? await freshDatabase() : { url: databaseUrl, drop: async () => undefined };
  const db = connect(database.url, { max: 4 });
  const env = {
    DATABASE_URL: database.url,
    SVC_CATALOG: catalogFile(catalogText(simulator.url, models, pricing, tiers)),
    LOG_LEVEL: "warn",
  };
  const started: SpawnedGateway[] = [];
  let accounts = 0;
  return {
    simulator,
    databaseUrl: database.url,
    env,
    db,
    async start(more = {}, program) {
      const whole = { ...env, ...more };
      const gateway = await spawnGateway(whole, program ?? bundled("svc", whole));
      started.push(gateway);
      return gateway;
    },
    async createAccount(deposit) {
      const at = new Date();
      const { accountId, apiKey } = await createAccount(db, { email: `world-${++accounts}@example.com`, verified: true, at });
      if (deposit !== null) await postEntry(db, { accountId, kind: "deposit", amount: parseUsd(deposit)!, ref: "test", at });
      return { accountId, key: apiKey };
    },
    balance: async ({ accountId }) => (await readBalance(db, accountId))!,
    audit: () => auditAtRest(db),
    async stop() {
      await Promise.all(started.map((gateway) => gateway.kill("SIGKILL")));
      await db.close();
      await simulator.close();
      await database.drop();
    },
  };
}

/** Children of a process, e.g. the workers of a gateway. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[1]);
  } catch {
    return undefined; // it has just ended
  }
}

/** Sockets that a process has open, of whatever kind. */
export function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:");
  } catch {
    return false; // closed meanwhile
  }
}
