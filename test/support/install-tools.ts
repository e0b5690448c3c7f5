// npm run tools:install: Debian's packages for the tests that need more than Node, where we may install them, and what the chart is tested
// with. Says so where not, and never fails: the tests say what is missing. `-- failover`: those of npm run test:failover as well.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installChartTools } from "./chart-tools.ts";
import { findTool, tools } from "./find-tool.ts";

type Tool = keyof typeof tools;
const all = Object.keys(tools) as Tool[];
/** A program to its package. */
const failover = {
  "/usr/bin/etcd": "etcd-server",
  "/usr/bin/patroni": "patroni", // for what it depends on: the one that runs is patroniFolder's
  "/usr/lib/python3.11/ensurepip/__init__.py": "python3-venv",
  "/usr/sbin/haproxy": "haproxy",
  "/usr/bin/pgbackrest": "pgbackrest",
  "/usr/lib/postgresql/15/bin/postgres": "postgresql-15",
};
/** As docs/highly-available.md has it. */
const patroniFolder = "/opt/patroni";
const patroniPin = fileURLToPath(new URL("../../deploy/ha/patroni.txt", import.meta.url));
/** Asked by Debian's packages before they start their service; 101: don't. */
const policy = "/usr/sbin/policy-rc.d";

function apt(...words: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", ["-q", "-y", ...words], { stdio: "inherit", env }).status === 0;
}

function install(missing: string[]): void {
  const ours = !existsSync(policy);
  if (ours) {
    writeFileSync(policy, "#!/bin/sh\nexit 101\n");
    chmodSync(policy, 0o755);
  }
  try {
    if (apt("install", "--no-install-recommends", ...missing)) return;
    apt("update");
    // One by one: a package that can't be had must not keep the others away.
    for (const tool of missing) apt("install", "--no-install-recommends", tool);
  } finally {
    if (ours) rmSync(policy, { force: true });
  }
}

function installPatroni(): void {
  const run = (program: string, ...words: string[]) => spawnSync(program, words, { stdio: "inherit" }).status === 0;
  const pip = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", patroniPin];
  const installed =
    run("/usr/bin/python3", "-m", "venv", "--system-site-packages", patroniFolder) && run(`${patroniFolder}/bin/pip`, ...pip);
  console.log(`patroni: ${installed ? patroniFolder : "could not be installed from PyPI: npm run test:failover is skipped without it"}`);
}

const wanted = process.argv.includes("failover") ? Object.entries(failover) : [];
const missing = [
  ...all.filter((tool) => !findTool(tool)?.endsWith(`/${tools[tool][0]}`)),
  ...wanted.filter(([program]) => !existsSync(program)).map(([, name]) => name),
];
if (missing.length > 0 && process.getuid?.() === 0) install(missing);
if (wanted.length > 0 && process.getuid?.() === 0) installPatroni();
for (const tool of all)
  console.log(`${tool}: ${findTool(tool) ?? "missing, and it could not be installed here (only root can): its tests are skipped"}`);
for (const [program, name] of wanted)
  console.log(
    `${name}: ${existsSync(program) ? program : "missing, and it could not be installed here: npm run test:failover is skipped"}`,
  );
installChartTools();
