// The launcher of the embedded database, with real servers in folders of their own.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterEach, describe, expect, test } from "vitest";
import { type Embedded, startEmbedded } from "../../src/db/embedded.ts";
import { oneInThree } from "../support/size.ts";

const asRoot = process.geteuid?.() === 0;
const folders: string[] = [];
const servers: Embedded[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-embedded-"));
  folders.push(folder);
  return folder;
}

async function start(dataDir: string, privileges?: "setuid"): Promise<Embedded> {
  const server = await startEmbedded({ dataDir, durable: true, ...(privileges ? { privileges } : {}) });
  servers.push(server);
  return server;
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe("first start", () => {
  test("makes a database with fsync on and checksums, on a socket that only its owner reaches, and no TCP", async () => {
    const { url } = await start(newFolder());
    const settings = await query(
      url,
      "select current_setting('fsync') f, current_setting('data_checksums') c, current_setting('listen_addresses') l, current_setting('synchronous_commit') s",
    );
    expect(settings).toEqual([{ f: "on", c: "on", l: "", s: "on" }]);
    const socketFolder = new URL(url).searchParams.get("host")!;
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
  });

  oneInThree()("three processes at once: one makes it, all three use the same server", async () => {
    const folder = newFolder();
    const started = await Promise.all([startInProcess(folder), startInProcess(folder), startInProcess(folder)]);
    expect(new Set(started.map(({ pid }) => pid)).size).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith("postgres-new-"))).toEqual([]);
    await Promise.all(started.map(({ end }) => end()));
    await start(folder); // so that afterEach stops it
  });

  oneInThree()("an initdb that was killed half way leaves nothing in the way", async () => {
    const folder = newFolder();
    writeFileSync(join(folder, "postgres.lock"), "999999999"); // its owner is long gone
    mkdirSync(join(folder, "postgres-new-abc123"));
    const { url } = await start(folder);
    expect(readdirSync(folder).toSorted()).toEqual(["postgres", "postgres.log"]);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  oneInThree().runIf(asRoot)("without user namespaces root's server runs as nobody, and one with them opens the folder later", async () => {
    const folder = newFolder();
    chmodSync(folder, 0o755);
    const asNobody = await start(folder, "setuid");
    await query(asNobody.url, "create table kept as select 7 as n");
    expect(statSync(join(folder, "postgres")).uid).toBe(65_534);
    await asNobody.stop();
    expect(await query((await start(folder)).url, "select n from kept")).toEqual([{ n: 7 }]);
  });

  oneInThree().runIf(asRoot)("as nobody it keeps the data in /var/tmp where its own folder is out of nobody's reach", async () => {
    const server = await start(newFolder(), "setuid");
    const [row] = await query(server.url, "select current_setting('data_directory') as place");
    const place = row!.place as string;
    folders.push(dirname(place));
    expect(place).toMatch(/^\/var\/tmp\/svc-/);
  });
});

describe("later starts", () => {
  oneInThree()("attach to the server that runs; it stops only when the last user leaves", async () => {
    const folder = newFolder();
    const first = await start(folder);
    const second = await start(folder);
    expect(second.pid).toBe(first.pid);
    await first.stop();
    expect(await query(second.url, "select 1 as one")).toEqual([{ one: 1 }]);
    await second.stop();
    await expect(query(second.url, "select 1")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  });

  oneInThree()("stop leaves the server to a client that holds no lease, such as psql", async () => {
    const folder = newFolder();
    const server = await start(folder);
    const psql = new pg.Client({ connectionString: server.url });
    await psql.connect();
    await server.stop();
    expect((await psql.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await psql.end();
    await start(folder); // so that afterEach stops it
  });

  oneInThree()("a folder of another Postgres major stops the start with both versions named", async () => {
    const folder = newFolder();
    const server = await start(folder);
    await server.stop();
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "12\n");
    await expect(startEmbedded({ dataDir: folder, durable: true })).rejects.toThrow(/was made by Postgres 12, but .* are Postgres \d\d/);
  });
});

describe("crash", () => {
  test("kill -9 of the server: what was committed is there after the next start", async () => {
    const folder = newFolder();
    const first = await start(folder);
    await query(first.url, "create table kept as select generate_series(1, 1000) as n");
    const killed = first.pid;
    first.kill9();
    const second = await start(folder);
    expect(second.pid).not.toBe(killed);
    expect(await query(second.url, "select count(*)::int as n from kept")).toEqual([{ n: 1000 }]);
  });

  oneInThree()("a process that uses the server starts it again when it dies", async () => {
    const server = await start(newFolder());
    const killed = server.pid;
    server.kill9();
    await expect.poll(() => query(server.url, "select 1 as one").catch(() => [])).toEqual([{ one: 1 }]);
    expect(server.pid).not.toBe(killed);
  });

  oneInThree()("kill -9 of the process that started it: the server lives on and the next one attaches", async () => {
    const folder = newFolder();
    const owner = await startInProcess(folder);
    owner.kill();
    const next = await start(folder);
    expect(next.pid).toBe(owner.pid);
    // Its server process takes a moment to see that the owner is gone, and would count as another user until then.
    const leases = "select count(*)::int as n from pg_stat_activity where application_name = 'svc-lease'";
    await expect.poll(() => query(next.url, leases)).toEqual([{ n: 1 }]);
  });

  oneInThree()("a pid file whose number belongs to some other program now does not keep it from starting", async () => {
    const folder = newFolder();
    const first = await start(folder);
    first.kill9();
    await first.stop();
    servers.length = 0;
    writeFileSync(
      join(folder, "postgres", "postmaster.pid"),
      `${process.pid}\n${join(folder, "postgres")}\n1\n5432\n/nowhere\n\n  1 1\nready   \n`,
    );
    expect(await query((await start(folder)).url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});

/** Starts or attaches in a process of its own, which then waits to be ended. */
async function startInProcess(folder: string): Promise<{ pid: number; end(): Promise<void>; kill(): void }> {
  const launcher = new URL("../../src/db/embedded.ts", import.meta.url).href;
  const code = `const s = await (await import(${JSON.stringify(launcher)})).startEmbedded({ dataDir: ${JSON.stringify(folder)}, durable: true });
    process.stdout.write(s.pid + "\\n"); process.stdin.once("data", async () => { await s.stop(); process.exit(0); });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const pid = await new Promise<number>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())));
    child.once("exit", (status) => reject(new Error(`ended with ${status}`)));
  });
  return {
    pid,
    end: async () => {
      child.stdin.write("end\n");
      await exited;
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
