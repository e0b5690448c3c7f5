// The real gateway for a test, in this process, on a fresh database and with a simulator behind it. Every reply of
// `request` is held against the contract. As a process of its own: spawned-gateway.ts.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { inject } from "vitest";
import { createAccount } from "../../src/accounts/admin.ts";
import { openSession, type OpenedSession } from "../../src/accounts/sessions.ts";
import type { Clock } from "../../src/clock.ts";
import { readConfig } from "../../src/config.ts";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Context } from "../../src/context.ts";
import { accountIdText } from "../../src/ids.ts";
import type { Audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { postEntry } from "../../src/ledger/post.ts";
import type { Mail } from "../../src/mail/mailer.ts";
import { startGateway as startServer } from "../../src/main.ts";
import { parseUsd, toUsd } from "../../src/money.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { auditAtRest } from "./audit.ts";
import { freshDatabase } from "./database.ts";
import { checkedRequest, type RequestOptions, type TestReply } from "./request.ts";

export { checkedRequest, type RequestOptions, type TestReply } from "./request.ts";
export { spawnGateway, type SpawnedGateway } from "./spawned-gateway.ts";

interface GatewayOptions {
  /** YAML text of the catalog, whose `simulator:` addresses mean this test's simulator. Absent: the shipped one. */
  catalog?: string;
  env?: Record<string, string>;
  clock?: Clock;
  limits?: ServerOptions["limits"];
  graceMs?: number;
  jobs?: ServerOptions["jobs"];
  batches?: ServerOptions["batches"];
  media?: ServerOptions["media"];
  connectionLifeMs?: number;
  ledger?: ServerOptions["ledger"];
  notices?: ServerOptions["notices"];
  webhooks?: ServerOptions["webhooks"];
  /** Migrated; absent: a fresh one. */
  databaseUrl?: string;
  /** Filled with all that is logged, at the finest level. */
  logLines?: string[];
}

type ServerOptions = Parameters<typeof startServer>[1];

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
  email: string;
  key: string;
}

export interface Gateway {
  url: string;
  context: Context;
  simulator: Simulator;
  databaseUrl: string;
  request(method: string, path: string, options?: RequestOptions): Promise<TestReply>;
  createAccount(options?: NewAccountOptions): Promise<TestAccount>;
  /** A dashboard session, as signing in would make it: its token goes where a key goes. */
  createSession(account: Pick<TestAccount, "accountId">): Promise<OpenedSession>;
  /** The mails that were printed so far, oldest first. */
  mails: Mail[];
  /** USD, as `svc account show` says it. */
  balance(account: TestAccount): Promise<{ balance: number; reserved: number; spent: number }>;
  audit(): Promise<Audit>;
  stop(): Promise<void>;
}

const shippedCatalog = fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url));

export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const database = options.databaseUrl === undefined ? await freshDatabase() : { url: options.databaseUrl, drop: async () => undefined };
  const simulator = await startSimulator();
  const config = readConfig({ SVC_DATA_DIR: join(inject("runFolder"), "data"), PORT: "0", ...options.env });
  const { catalog } = loadCatalog({
    ...(options.catalog === undefined ? { path: shippedCatalog } : { text: options.catalog }),
    environment: config.environment,
    simulatorUrl: simulator.url,
  });
  const undeclared: string[] = [];
  const mails: Mail[] = [];
  const server = await startServer(config, {
    databaseUrl: database.url,
    catalog,
    simulatorUrl: simulator.url,
    log: mailReadingLog(mails, options.logLines),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.jobs === undefined ? {} : { jobs: options.jobs }),
    ...(options.batches === undefined ? {} : { batches: options.batches }),
    ...(options.media === undefined ? {} : { media: options.media }),
    ...(options.connectionLifeMs === undefined ? {} : { connectionLifeMs: options.connectionLifeMs }),
    ...(options.ledger === undefined ? {} : { ledger: options.ledger }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    // Else a mail about a sign-in from a new place would come between those that a test waits for.
    notices: options.notices ?? { everyMs: 2 ** 31 - 1 },
    autoTopupMs: 2 ** 31 - 1, // tests say when
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
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
    createSession: ({ accountId }) => openSession(db, { accountId, at: server.context.clock() }),
    mails,
    audit: () => auditAtRest(db),
    async stop() {
      await server.stop();
      await simulator.close();
      await database.drop();
      if (undeclared.length > 0) throw new Error(`answered with codes that the contract does not declare: ${undeclared.join(", ")}`);
    },
  };
}

/** Without SMTP_URL mails are printed to the log; that is where a test reads them. TEST_LOG shows the rest. */
function mailReadingLog(mails: Mail[], lines?: string[]): pino.Logger {
  const shown = process.env.TEST_LOG === undefined ? null : pino.levels.values[process.env.TEST_LOG]!;
  const write = (line: string) => {
    lines?.push(line);
    const { level, mail } = JSON.parse(line) as { level: number; mail?: Mail };
    if (mail) mails.push(mail);
    if (shown !== null && level >= shown) process.stderr.write(line);
  };
  const level = lines === undefined ? "warn" : "trace";
  return pino({ level: shown === null ? level : process.env.TEST_LOG! }, { write });
}

let accounts = 0;

async function createFundedAccount({ config, db, clock }: Context, options: NewAccountOptions): Promise<TestAccount> {
  const at = clock();
  const email = `test-${process.pid}-${++accounts}@example.com`;
  const { accountId, apiKey } = await createAccount(db, { email, verified: options.verified ?? true, at });
  if (options.signupCredit) await postEntry(db, { accountId, kind: "signup_credit", amount: config.signUp.credit, ref: "test", at });
  if (options.deposit !== undefined)
    await postEntry(db, { accountId, kind: "deposit", amount: parseUsd(options.deposit)!, ref: "test", at });
  if (options.credit !== undefined) await postEntry(db, { accountId, kind: "bonus", amount: parseUsd(options.credit)!, ref: "test", at });
  return { accountId, id: accountIdText(accountId), email, key: apiKey };
}
