// The soak's gateway, a process as `npm start` runs it, with its inspector open; beside it the simulator, and the database by a pool of our own.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAccount } from "../../src/accounts/admin.ts";
import { connect, type Db } from "../../src/db/connect.ts";
import { postEntry } from "../../src/ledger/post.ts";
import { parseUsd } from "../../src/money.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { soakCatalog } from "./soak-catalog.ts";
import { type Bills, billTo } from "./soak-money.ts";
import { inspectorIn } from "./inspector.ts";
import { type Insight, openInsight } from "./soak-inspector.ts";

export interface SoakWorld {
  url: string;
  pid: number;
  folder: string;
  inspector: Insight;
  simulator: Simulator;
  /** What its calls that have ended are billed. */
  bills: Bills;
  db: Db;
  /** What the gateway logged, from warnings on. */
  log(): Record<string, unknown>[];
  /** A key of a new account. */
  createCaller(isFunded: boolean): Promise<string>;
  stop(): Promise<void>;
}

export interface SoakOptions {
  /** Of a server that may be empty: the gateway migrates it. */
  databaseUrl: string;
  /** For the catalog and what jobs make. */
  folder: string;
  /** More flags of Node's for the gateway. */
  flags?: string[];
  env?: Record<string, string>;
}

const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

export async function openSoakWorld({ databaseUrl, folder, flags = [], env = {} }: SoakOptions): Promise<SoakWorld> {
  const bills: Bills = new Map();
  const simulator = await startSimulator({ onEnd: billTo(bills) });
  const catalog = join(folder, "soak-catalog.json");
  const dataDir = join(folder, "data");
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(catalog, soakCatalog(simulator.url));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|DATABASE|SVC_)/.test(name)));
  const given = { DATABASE_URL: databaseUrl, SVC_DATA_DIR: dataDir, SVC_CATALOG: catalog, SVC_ALLOW_PRIVATE_URLS: "1" };
  const child = spawn(process.execPath, ["--inspect=127.0.0.1:0", "--max-semi-space-size=32", ...flags, main, "start"], {
    env: { ...inherited, ...given, PORT: "0", LOG_LEVEL: "warn", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece: string) => (output += piece));
  const found = async (read: (output: string) => string | undefined) => {
    for (;;) {
      const text = read(output);
      if (text !== undefined) return text;
      if (child.exitCode !== null) throw new Error(`the gateway ended before it was ready:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const url = await found((text) => /gateway ready (http\S+)/.exec(text)?.[1]);
  const inspector = await openInsight(await found(inspectorIn));
  const db = connect(databaseUrl, { max: 4, applicationName: "svc-soak" });
  let accounts = 0;
  return {
    ...{ url, pid: child.pid!, folder, inspector, simulator, bills, db },
    log: () => output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : [])),
    async createCaller(isFunded) {
      const at = new Date();
      const { accountId, apiKey } = await createAccount(db, { email: `soak-${++accounts}@example.com`, verified: true, at });
      if (isFunded) await postEntry(db, { accountId, kind: "deposit", amount: parseUsd("10000")!, ref: "soak", at });
      return apiKey;
    },
    async stop() {
      inspector.close();
      child.kill("SIGTERM");
      await exited;
      await db.close();
      await simulator.close();
    },
  };
}
