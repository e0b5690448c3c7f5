// What Schemathesis is let loose on: the real gateway as a process of its own, its simulator, a funded account with a session, and
// the ids of things that exist. What a caller sees of the gateway, and what `svc` says about it, is all that is used.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fixturePath, startFileServer } from "../media/file-server.ts";
import { recording, recordingPath } from "../media/recordings.ts";
import { clientId, clientSecret, startOpenidProvider } from "../support/openid-provider.ts";
import { shipped } from "../support/bundle.ts";
import { spawnGateway } from "../support/spawned-gateway.ts";
import { startStripe, stripeEnv, webhookSecret } from "../support/stripe-server.ts";
import { svcPath } from "../support/svc-path.ts";
import { highTiers } from "../support/tiers.ts";

export interface World {
  url: string;
  /** What hooks.py and schemathesis.toml read. */
  environment: Record<string, string>;
  /** Files of this run; schemathesis runs in it. */
  folder: string;
  /** Runs `svc` beside the gateway. */
  svc(...words: string[]): Promise<Record<string, unknown>>;
  /** Resident memory of the gateway's process, in MB. */
  memoryMb(): number;
  /** Lines of the log so far. */
  log(): LogLine[];
  stop(): Promise<void>;
}

export type LogLine = Record<string, unknown> & { level: number };

const recordingsFolder = dirname(recordingPath("tone.mp3"));
interface KeyRecord {
  id: string;
  name: string;
  masked: string;
}

const run = promisify(execFile);
const shippedCatalog = fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url));
/** More than any run spends: a refusal for money would say nothing about the contract. */
const deposit = "10000000";

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "svc-fuzz-"));
  const catalog = join(folder, "catalog.yaml");
  writeFileSync(catalog, fuzzCatalog());
  const env = {
    SVC_DATA_DIR: join(folder, "data"),
    SVC_CATALOG: catalog,
    SVC_TRUSTED_PROXIES: "1", // hooks.py is one proxy with many clients: what is limited by address stays limited by address
    SVC_ALLOW_PRIVATE_URLS: "1", // recordings at addresses lie on this machine
    NODE_EXTRA_CA_CERTS: fixturePath("tls-certificate.pem"),
    LOG_LEVEL: "warn",
    SVC_OPERATORS: "fuzz@example.com", // operators' operations are tried, too
  };
  mkdirSync(env.SVC_DATA_DIR);
  for (const name of readdirSync(recordingsFolder).filter((name) => name.startsWith("tone.")))
    cpSync(join(recordingsFolder, name), join(folder, "recordings", name));
  const [stripe, identity] = await Promise.all([startStripe(), startOpenidProvider()]);
  const signIn = { SVC_SIGNIN_SSO_ISSUER: identity.issuer, SVC_SIGNIN_SSO_CLIENT_ID: clientId, SVC_SIGNIN_SSO_CLIENT_SECRET: clientSecret };
  const gateway = await spawnGateway({ ...env, ...stripeEnv(stripe), ...signIn }, shipped("svc"));
  const files = await startFileServer((_req, res) => void res.writeHead(200, { "content-type": "audio/mpeg" }).end(recording("tone.mp3")));
  const svc = async (...words: string[]) => {
    const { stdout } = await run(process.execPath, [svcPath, ...words, "--json"], { env: { ...process.env, ...env } });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const account = await svc("account", "create", "--email", "fuzz@example.com", "--verified", "--deposit", deposit);
  const other = await svc("account", "create", "--email", "other@example.com", "--verified", "--deposit", "100");
  const spare = await svc("key", "create", String(account.account_id), "--name", "spare");
  const shown = (await svc("account", "show", String(account.account_id))) as { keys: KeyRecord[] };
  const own = shown.keys.find(({ name }) => name !== "spare")!;
  const session = await svc("session", "create", String(account.account_id));
  const control = await startControl(() => svc("session", "create", String(account.account_id)));
  const environment = {
    SVC_URL: gateway.url,
    SVC_CONTROL: control.url,
    SVC_RECORDINGS: "recordings",
    SVC_KEY: String(account.api_key),
    SVC_KEY_NAMES: [String(account.api_key), own.id, own.masked].join(" "),
    SVC_OTHER_ACCOUNT: String(other.account_id),
    SVC_SPARE_KEY: String(spare.api_key),
    SVC_SESSION: String(session.session_token),
    SVC_COOKIE: String(session.cookie),
    SVC_CSRF: String(session.csrf_token),
    SVC_STRIPE_SECRET: webhookSecret,
    SVC_AUDIO_URL: `https://127.0.0.1:${files.port}/tone.mp3`,
  };
  return {
    url: gateway.url,
    environment,
    folder,
    svc,
    memoryMb: () => residentMb(gatewayPid(gateway.pid)),
    log: () => logLines(gateway.output()),
    async stop() {
      await gateway.kill("SIGTERM");
      await Promise.all([files.close(), control.close(), stripe.close(), identity.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The shipped models, the paused ones awake: their endpoints are there to be tried; and nobody is ever too fast. */
function fuzzCatalog(): string {
  const models = readFileSync(shippedCatalog, "utf8")
    .replaceAll(/^ +state: \{ paused: true \}\n/gm, "")
    // The one that hooks.py disables.
    .replace("providers:\n", 'providers:\n  - { id: idle, protocol: openai, base_url: "simulator:/openai/v1" }\n');
  const tiers = highTiers({
    image_concurrent: 1000,
    image_queue_depth_cap: 100_000,
    video_concurrent: 1000,
    video_queue_depth_cap: 100_000,
  });
  return `${models}\ntiers: ${JSON.stringify(tiers)}\n`;
}

/** `svc` hands over to the pinned runtime: the process that serves may be its child. */
function gatewayPid(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const own = children.find((child) => child !== "" && readFileSync(`/proc/${child}/cmdline`, "utf8").includes("cli/main.ts"));
  return own === undefined ? pid : Number(own);
}

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}

function logLines(output: string): LogLine[] {
  return output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []));
}

/** Where hooks.py gets what must not be used up: a session that a sign-out may end. */
async function startControl(newSession: () => Promise<unknown>): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((_req, res) => void newSession().then((session) => res.end(JSON.stringify(session))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
