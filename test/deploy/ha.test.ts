// deploy/ha as fill.sh fills it: what npm run test:failover does not start, such as systemd's units, has to fit what it does.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
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
const machine = example.replaceAll(/_PASSWORD=$/gm, "_PASSWORD=secret").replace(/^STATE=.*$/m, `STATE=${state}`);

test("every file is filled, and no name is left in it; a value that is missing is named", () => {
  const etc = fill(machine);
  const files = readdirSync(ha).filter((name) => !["fill.sh", "machine.env.example"].includes(name));
  expect(readdirSync(etc).sort()).toEqual(files.sort());
  expect(files.filter((name) => /@[A-Z_]+@/.test(readFileSync(join(etc, name), "utf8")))).toEqual([]);
  expect(() => fill(example)).toThrow(/_PASSWORD has no value/);
});

test("each unit starts its program with its file of this folder", () => {
  const etc = fill(machine);
  const units = readdirSync(etc).filter((name) => name.endsWith(".service"));
  const started = units.map((name) => /^ExecStart=(\S+)(?: .*?(\/\S+))?/m.exec(readFileSync(join(etc, name), "utf8"))!);
  expect(started.map(([, program]) => program).sort()).toEqual([
    "/usr/bin/etcd",
    "/usr/bin/npm",
    "/usr/bin/patroni",
    "/usr/sbin/haproxy",
    "/usr/sbin/pgbouncer",
  ]);
  const given = started.flatMap(([, , path]) => path ?? []);
  expect(given).toHaveLength(4);
  for (const path of given) expect([path, existsSync(path)]).toEqual([path, true]);
});

test("the gateway listens where nginx of another machine finds it, believes its word for the caller's address, and writes to a folder of its own", () => {
  const lines = readFileSync(join(fill(machine), "gateway.env"), "utf8").split("\n");
  const env = Object.fromEntries(lines.filter((line) => /^[A-Z_]+=/.test(line)).map((line) => [line.split("=")[0]!, line.slice(line.indexOf("=") + 1)])); // prettier-ignore
  const { host, port, trustedProxies, dataDir } = readConfig(env);
  expect([host, port, trustedProxies, dataDir]).toEqual(["10.0.0.4", 8787, 1, "/var/lib/svc"]);
  const nginx = readFileSync(join(root, "deploy/nginx/nginx.conf"), "utf8");
  expect(new Set([...nginx.matchAll(/^ *server [\d.]+:(\d+) /gm)].map(([, at]) => Number(at)))).toEqual(new Set([port]));
});
