// deploy/ha as fill.sh fills it: what npm run test:failover does not start, such as systemd's units, has to fit what it does.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import { isTrial } from "../../src/db/hosts.ts";
import { connectionLifeMs } from "../../src/main.ts";
import { isRoot, part } from "../failover/parts.ts";
import { needTool } from "../support/find-tool.ts";
import { freePort } from "../support/free-port.ts";
import { scratchFolder } from "../support/leftovers.ts";

const root = resolve(import.meta.dirname, "../..");
const ha = join(root, "deploy/ha");
const folder = scratchFolder("ha-");
const state = join(folder, "state");
const example = readFileSync(join(ha, "machine.env.example"), "utf8");

function fill(machine: string): string {
  const path = join(folder, "machine.env");
  writeFileSync(path, machine);
  execFileSync(join(ha, "fill.sh"), [path, join(state, "etc")], { stdio: "pipe" });
  return join(state, "etc");
}
const machine = example
  .replaceAll(/_PASSWORD=$/gm, "_PASSWORD=secret")
  .replace(/^PUBLIC_URL=$/m, "PUBLIC_URL=https://api.example.com")
  .replace(/^STATE=.*$/m, `STATE=${state}`);
/** What the gateway's own file sets. */
function gatewayEnv(): Record<string, string> {
  const lines = readFileSync(join(fill(machine), "gateway.env"), "utf8").split("\n");
  return Object.fromEntries(lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => [line.split("=")[0]!, line.slice(line.indexOf("=") + 1)])); // prettier-ignore
}

test("every file is filled, and no name is left in it; a value that is missing is named", () => {
  const etc = fill(machine);
  const files = readdirSync(ha).filter((name) => !["fill.sh", "machine.env.example", "patroni.txt"].includes(name));
  expect(readdirSync(etc).sort()).toEqual(files.sort());
  expect(files.filter((name) => /@[A-Z_]+@/.test(readFileSync(join(etc, name), "utf8")))).toEqual([]);
  expect(() => fill(example)).toThrow(/_PASSWORD has no value/);
});

test("each unit starts its program with its file of this folder", () => {
  const etc = fill(machine);
  const units = readdirSync(etc).filter((name) => name.endsWith(".service"));
  const started = units.map((name) => /^ExecStart=(\S+)(?: .*?(\/\S+))?/m.exec(readFileSync(join(etc, name), "utf8"))!);
  expect(started.map(([, program]) => program).sort()).toEqual([
    "/opt/patroni/bin/patroni",
    "/usr/bin/etcd",
    "/usr/bin/npm",
    "/usr/sbin/haproxy",
    "/usr/sbin/pgbouncer",
  ]);
  const given = started.flatMap(([, , path]) => path ?? []);
  expect(given).toHaveLength(4);
  for (const path of given) expect([path, existsSync(path)]).toEqual([path, true]);
});

describe("a service that is broken into", () => {
  const units = ["etcd", "haproxy", "patroni", "pgbouncer", "svc-gateway"];
  const settings: Record<string, Record<string, string>> = {};
  beforeAll(() => {
    const etc = fill(machine);
    for (const unit of units) {
      const lines = readFileSync(join(etc, `${unit}.service`), "utf8").matchAll(/^(\w+)=(.*)$/gm);
      settings[unit] = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
    }
  });

  test.each(units)("%s gains no right: no capability, no program with more, nothing of /home, no change of the kernel", (unit) => {
    expect(settings[unit]).toMatchObject({
      ...{ NoNewPrivileges: "yes", CapabilityBoundingSet: "", RestrictSUIDSGID: "yes", ProtectHome: "yes" },
      ...{ ProtectKernelTunables: "yes", ProtectKernelModules: "yes", ProtectControlGroups: "yes" },
    });
    expect(settings[unit]).not.toHaveProperty("AmbientCapabilities");
    expect(settings[unit]!["User"]).toBe(unit === "svc-gateway" ? "svc" : "postgres");
    // Node compiles code, and would not start.
    expect(settings[unit]).not.toHaveProperty("MemoryDenyWriteExecute");
  });

  test("each writes to its own folder alone; Patroni's archive may be elsewhere, and its watchdog is a device", () => {
    const own = (unit: string) => [settings[unit]!["ProtectSystem"], settings[unit]!["ReadWritePaths"]];
    for (const unit of ["etcd", "pgbouncer"]) {
      expect([unit, ...own(unit)]).toEqual([unit, "strict", state]);
      const but = { ReadOnlyPaths: `${state}/etc`, InaccessiblePaths: `-${state}/data -${state}/pgpass` };
      expect([unit, settings[unit]]).toMatchObject([unit, but]);
    }
    expect(own("haproxy")).toEqual(["strict", undefined]);
    expect(own("svc-gateway")).toEqual(["strict", "/var/lib/svc"]);
    expect(own("patroni")).toEqual(["full", undefined]);
    for (const unit of units.filter((unit) => unit !== "patroni"))
      expect([unit, settings[unit]]).toMatchObject([unit, { PrivateTmp: "yes", PrivateDevices: "yes" }]);
    expect(settings["patroni"]).not.toHaveProperty("PrivateDevices");
  });

  test("all that their files of settings have them write is there", () => {
    const etc = fill(machine);
    const text = (name: string) => readFileSync(join(etc, name), "utf8");
    const paths = (pattern: RegExp, name: string) => [...text(name).matchAll(pattern)].map(([, path]) => path!);
    const written = {
      etcd: paths(/^data-dir: (.*)$/gm, "etcd.yaml"),
      pgbouncer: paths(/^(?:logfile|pidfile) = ?(\S.*)$/gm, "pgbouncer.ini"),
      "svc-gateway": paths(/^SVC_(?:DATA_DIR|CHARGE_LOG|LEDGER_HEAD_FILE)=(.*)$/gm, "gateway.env"),
    };
    expect(Object.values(written).map(({ length }) => length)).toEqual([1, 1, 3]);
    for (const [unit, files] of Object.entries(written))
      for (const path of files) expect([path, `${path}/`.startsWith(`${settings[unit]!["ReadWritePaths"]}/`)]).toEqual([path, true]);
  });
});

test("a connection of PgBouncer to Postgres lives as long as one of a gateway, so none stays with a former primary", () => {
  for (const path of ["deploy/pgbouncer/pgbouncer.ini", "deploy/ha/pgbouncer.ini"]) {
    const [, seconds] = /^server_lifetime = (\d+)$/m.exec(readFileSync(join(root, path), "utf8"))!;
    expect([path, Number(seconds)]).toEqual([path, connectionLifeMs / 1_000]);
  }
});

test("the gateway listens where nginx of another machine finds it, believes its word for the caller's address, and writes to a folder of its own", () => {
  const { host, port, trustedProxies, dataDir } = readConfig(gatewayEnv());
  expect([host, port, trustedProxies, dataDir]).toEqual(["10.0.0.4", 8787, 1, "/var/lib/svc"]);
  const nginx = readFileSync(join(root, "deploy/nginx/nginx.conf"), "utf8");
  expect(new Set([...nginx.matchAll(/^ *server [\d.]+:(\d+) /gm)].map(([, at]) => Number(at)))).toEqual(new Set([port]));
});

test("mails are not printed to the log, though the gateway finds its database at an address of its own machine", () => {
  expect(isTrial({ ...readConfig(gatewayEnv()), publicUrl: null })).toBe(true);
  expect(isTrial(readConfig(gatewayEnv()))).toBe(false);
});

const nginx = needTool("nginx");

test.skipIf(nginx === null)("nginx has room for all its connections where a service may open 1,024 files, as systemd has it", () => {
  const path = join(folder, "nginx.conf");
  const shipped = readFileSync(join(root, "deploy/nginx/nginx.conf"), "utf8");
  writeFileSync(path, shipped.replaceAll("/var/log/nginx", folder).replace("/run/nginx.pid", join(folder, "nginx.pid")));
  const { status, stderr } = spawnSync("sh", ["-c", `ulimit -Sn 1024 && exec ${nginx} -t -c ${path}`], { encoding: "utf8" });
  expect([status, stderr.includes("test is successful"), /\[warn\].*/.exec(stderr)?.[0]]).toEqual([0, true, undefined]);
});

const pgbouncer = needTool("pgbouncer");

test.skipIf(pgbouncer === null)("PgBouncer starts after a power cut, whichever process has its former number by then", async () => {
  const own = mkdtempSync(join(tmpdir(), "svc-ha-"));
  try {
    const values = { STATE: own, LOCAL: "127.0.0.1", POOL_PORT: await freePort() };
    const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(own, "machine.env"), [machine.replace(/^(?:STATE|LOCAL|POOL_PORT)=.*\n/gm, ""), ...lines].join(""));
    execFileSync(join(ha, "fill.sh"), [join(own, "machine.env"), join(own, "etc")]);
    writeFileSync(join(own, "pgbouncer.pid"), "1\n");
    if (isRoot) execFileSync("chown", ["-R", "postgres:postgres", own]);
    chmodSync(own, 0o755);
    const started = part("pgbouncer", own, [pgbouncer!, join(own, "etc", "pgbouncer.ini")]);
    started.start();
    await expect.poll(() => started.log()).toContain("process up");
    await started.end("SIGKILL");
  } finally {
    rmSync(own, { recursive: true });
  }
});
