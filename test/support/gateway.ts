// The real gateway for a test: in this process on a fresh database with the simulator behind it, or as a child
// process through bin/svc.js. Every reply of `request` is held against the contract.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { inject } from "vitest";
import { operations } from "../../generated/operations.ts";
import { createAccount } from "../../src/accounts/admin.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { readConfig } from "../../src/config.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Context } from "../../src/context.ts";
import { accountIdText } from "../../src/ids.ts";
import { type Audit, audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { postEntry, signupCredit } from "../../src/ledger/post.ts";
import { startGateway as startServer } from "../../src/main.ts";
import { parseUsd, toUsd } from "../../src/money.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { checkReply } from "./contract.ts";
import { freshDatabase } from "./database.ts";
import { svcPath } from "./svc-path.ts";

export interface GatewayOptions {
  /** YAML text of the catalog, whose `simulator:` addresses mean this test's simulator. Absent: the shipped one. */
  catalog?: string;
  env?: Record<string, string>;
  clock?: Clock;
}

export interface RequestOptions {
  key?: string;
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** For the few replies that no operation declares. */
  unchecked?: true;
}

export interface TestReply {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body parsed; undefined where it is no JSON. */
  json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look inside without ceremony
}

export interface NewAccountOptions {
  deposit?: string;
  credit?: string;
  signupCredit?: boolean;
  verified?: boolean;
}

export interface TestAccount {
  accountId: bigint;
  /** `acc_…` */
  id: string;
  key: string;
}

export interface Gateway {
  url: string;
  context: Context;
  simulator: Simulator;
  databaseUrl: string;
  request(method: string, path: string, options?: RequestOptions): Promise<TestReply>;
  createAccount(options?: NewAccountOptions): Promise<TestAccount>;
  /** USD, as `svc account show` says it. */
  balance(account: TestAccount): Promise<{ balance: number; reserved: number; spent: number }>;
  audit(): Promise<Audit>;
  stop(): Promise<void>;
}

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const database = await freshDatabase();
  const simulator = await startSimulator();
  const config = readConfig({ SVC_DATA_DIR: join(inject("runFolder"), "data"), PORT: "0", ...options.env });
  const { catalog } = loadCatalog({
    path: options.catalog === undefined ? shippedCatalog : writeCatalog(options.catalog),
    environment: config.environment,
    simulatorUrl: simulator.url,
  });
  const undeclared: string[] = [];
  const server = await startServer(config, {
    databaseUrl: database.url,
    catalog,
    log: pino({ level: process.env.TEST_LOG ?? "silent" }),
    clock: options.clock ?? systemClock,
    onUndeclared: (operationId, code) => void undeclared.push(`${operationId} ${code}`),
  });
  const { db } = server.context;
  return {
    url: server.url,
    context: server.context,
    simulator,
    databaseUrl: database.url,
    request: (method, path, request) => checkedRequest(server.url, method, path, request),
    createAccount: (account = {}) => createFundedAccount(server.context, account),
    async balance({ accountId }) {
      const row = await readBalance(db, accountId);
      if (!row) throw new Error(`no account ${accountId}`);
      return { balance: toUsd(row.available + row.reserved), reserved: toUsd(row.reserved), spent: toUsd(row.spent) };
    },
    audit: () => audit(db),
    async stop() {
      await server.stop();
      await simulator.close();
      await database.drop();
      if (undeclared.length > 0) throw new Error(`answered with codes that the contract does not declare: ${undeclared.join(", ")}`);
    },
  };
}

export interface SpawnedGateway {
  url: string;
  pid: number;
  /** What it printed so far, both streams. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** `svc start` as an operator starts it; resolves at its ready line. */
export async function spawnGateway(env: Record<string, string>): Promise<SpawnedGateway> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|DATABASE|SVC_)/.test(name)));
  const child = spawn(process.execPath, [svcPath, "start"], { env: { ...inherited, PORT: "0", ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      const ready = /^gateway ready (http\S+)$/.exec(line);
      if (ready) resolve(ready[1]!);
    });
    void exited.then((status) => reject(new Error(`the gateway ended with ${status} before it was ready:\n${output}`)));
  });
  return {
    url,
    pid: child.pid!,
    output: () => output,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Any gateway by its address; checks the reply against the operation that the path belongs to. */
export async function checkedRequest(url: string, method: string, path: string, options: RequestOptions = {}): Promise<TestReply> {
  const { key, body, headers = {}, signal, unchecked } = options;
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    body: raw ? ((body ?? null) as string | Uint8Array<ArrayBuffer> | null) : JSON.stringify(body),
    signal: signal ?? null,
  });
  const text = await response.text();
  const reply = { status: response.status, headers: Object.fromEntries(response.headers), text, json: parsed(text) as TestReply["json"] };
  const operationId = unchecked ? undefined : operationOf(method, path);
  if (operationId) checkReply(operationId, { status: reply.status, headers: reply.headers, ...(method === "HEAD" ? {} : { bodyText: text }) });
  return reply;
}

function operationOf(method: string, path: string): string | undefined {
  const parts = path.split("?")[0]!.split("/");
  const matches = (template: string) => {
    const wanted = template.split("/");
    return wanted.length === parts.length && wanted.every((part, index) => part.startsWith("{") || part === parts[index]);
  };
  const wantedMethod = method === "HEAD" ? "get" : method.toLowerCase();
  const candidates = Object.values(operations).filter((operation) => operation.method === wantedMethod && matches(operation.path));
  return (candidates.find((operation) => !operation.path.includes("{")) ?? candidates[0])?.id; // `/v1/models/recommend` before `/v1/models/{id}`
}

let accounts = 0;

async function createFundedAccount({ db, clock }: Context, options: NewAccountOptions): Promise<TestAccount> {
  const at = clock();
  const { accountId, apiKey } = await createAccount(db, { email: `test-${process.pid}-${++accounts}@example.com`, verified: options.verified ?? true, at });
  if (options.signupCredit) await postEntry(db, { accountId, kind: "signup_credit", amount: signupCredit, ref: "test", at });
  if (options.deposit !== undefined) await postEntry(db, { accountId, kind: "deposit", amount: parseUsd(options.deposit)!, ref: "test", at });
  if (options.credit !== undefined) await postEntry(db, { accountId, kind: "bonus", amount: parseUsd(options.credit)!, ref: "test", at });
  return { accountId, id: accountIdText(accountId), key: apiKey };
}

const shippedCatalog = fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url));
let catalogs = 0;

function writeCatalog(yaml: string): string {
  const path = join(inject("runFolder"), `catalog-${process.pid}-${++catalogs}.yaml`);
  writeFileSync(path, yaml);
  return path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
