// PgBouncer between gateways and the run's Postgres, by the very file of deploy/pgbouncer with addresses and folders of this test.
import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseRunner, findPostgres, ownTree, spawnPostgres } from "../../src/db/postgres-process.ts";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { end } from "./balancer.ts";

export interface Pooler {
  /** The same database, through it. */
  url: string;
  start(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

const ini = fileURLToPath(new URL("../../deploy/pgbouncer/pgbouncer.ini", import.meta.url));

/** `ignores`: the settings at a connection's start that it lets pass without obeying. */
export async function startPooler(pgbouncer: string, databaseUrl: string, { ignores }: { ignores?: string } = {}): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), "svc-pooler-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const target = new URL(databaseUrl);
  const database = target.pathname.slice(1);
  const user = target.username || "postgres";
  let text = readFileSync(ini, "utf8");
  for (const [from, to] of [
    [
      "svc = host=10.0.0.4 port=5432 dbname=svc",
      `${database} = host=${target.searchParams.get("host") ?? target.hostname} port=${target.port || 5432} dbname=${database} user=${user}`,
    ],
    ["listen_addr = 0.0.0.0", "listen_addr = 127.0.0.1"],
    ["listen_port = 6432", `listen_port = ${port}`],
    ["auth_type = scram-sha-256", "auth_type = trust"],
    ["/etc/pgbouncer", folder],
    ["/var/log/postgresql", folder],
    ["/var/run/postgresql", folder],
    ["pool_mode = transaction", `pool_mode = transaction${ignores === undefined ? "" : `\nignore_startup_parameters = ${ignores}`}`],
  ] as [string, string][]) {
    if (!text.includes(from)) throw new Error(`deploy/pgbouncer/pgbouncer.ini has no "${from}"`);
    text = text.replace(from, to);
  }
  const path = join(folder, "pgbouncer.ini");
  writeFileSync(path, text);
  writeFileSync(join(folder, "userlist.txt"), `"${user}" "${decodeURIComponent(target.password)}"\n`);
  // It refuses root, as Postgres does.
  const binaries = { ...findPostgres(), bin: dirname(pgbouncer) };
  const runner = { ...chooseRunner(findPostgres(), folder), binaries };
  if (runner.privileges === "setuid") ownTree(folder, runner.uid);
  const log = openSync(join(folder, "said.log"), "a");
  let child: ChildProcess;
  const start = async () => {
    rmSync(join(folder, "pgbouncer.pid"), { force: true }); // left by a kill
    child = spawnPostgres(runner, basename(pgbouncer), [path], log);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${readFileSync(join(folder, "said.log"), "utf8")}`);
      return isListening(port);
    }, "PgBouncer listens");
  };
  await start();
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    start,
    kill: (signal) => end(child, signal),
    async stop() {
      await end(child, "SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
