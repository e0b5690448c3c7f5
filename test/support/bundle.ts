// Bundles of what tests start as processes: a start reads a few files instead of 1,600 and takes half the processor. Runs of all tests
// start the gateways that they kill and load from it, everyday runs all others as well. Everything else starts what ships: runs of chosen
// files, processes whose modules are hooked into, and in .ci/run what is tested as a command or for how it starts.
import { type ChildProcess, spawn } from "node:child_process";
import { symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { inject } from "vitest";
import { svcPath } from "./svc-path.ts";

const root = new URL("../../", import.meta.url);

/** The `svc` command, and processes reduced to the part that a test kills. */
const sources = {
  svc: "src/cli/main.ts",
  "job-worker": "test/jobs/job-worker.ts",
  "race-worker": "test/ledger/race-worker.ts",
  "escrow-worker": "test/ledger/escrow-worker.ts",
} as const;

export type ProgramName = keyof typeof sources;

/** What tests load into a gateway by NODE_OPTIONS. In the bundle beside it, so that what they change is the bundle's own. */
const preloads = [
  "test/overload/small-limits.ts",
  "test/robustness/heap-probe.ts",
  "test/robustness/shorten-orphan-times.ts",
  "test/scale/shorten-grace.ts",
  "test/support/shorten-ledger-times.ts",
].map((path) => ({ path: fileURLToPath(new URL(path, root)), name: basename(path, ".ts") }));

/** What `node` is to run, and where it keeps the compiled code from start to start. */
export interface Program {
  path: string;
  compileCache: string;
}

/** The folder of this run's bundle. */
export async function bundlePrograms(folder: string): Promise<string> {
  const programs = Object.entries(sources).map(([name, path]) => [name, fileURLToPath(new URL(path, root))]);
  const input = Object.fromEntries([...programs, ...preloads.map(({ name, path }) => [name, path])]) as Record<string, string>;
  const bundle = await rolldown({
    input,
    platform: "node",
    logLevel: "silent",
    plugins: [{ name: "own-address", transform: keepAddress }],
  });
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  symlinkSync(fileURLToPath(new URL("node_modules", root)), join(folder, "node_modules")); // where the programs of Postgres are looked for
  return folder;
}

/** Data files and threads are found from where a module stands. */
function keepAddress(code: string, id: string): string | null {
  return code.includes("import.meta.url") ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)) : null;
}

/** As bin/svc.js has it. */
const shippedCache = fileURLToPath(new URL("node_modules/.cache/svc-compiled", root));

export function shipped(name: ProgramName): Program {
  return { path: name === "svc" ? svcPath : fileURLToPath(new URL(sources[name], root)), compileCache: shippedCache };
}

/** Whether this is a run of all tests outside .ci/run. */
export function isEveryday(): boolean {
  return inject("everyday");
}

/** Whether this is a run of all tests: of chosen files it has made no bundle. */
export function isWhole(): boolean {
  return inject("bundle") !== null;
}

/** Of what is tested as it ships. */
export function programFor(name: ProgramName, env: Record<string, string | undefined> = {}): Program {
  return isEveryday() ? bundled(name, env) : shipped(name);
}

/** For a process with this environment: what else is preloaded by its path, or hooks into loading, is about the sources' own modules. */
export function bundled(name: ProgramName, env: Record<string, string | undefined> = {}): Program {
  const folder = inject("bundle");
  const others = withPreloads(env["NODE_OPTIONS"] ?? "", () => "");
  if (folder === null || /--import[= ]\/|registerHooks/.test(others)) return shipped(name);
  return { path: join(folder, `${name}.js`), compileCache: join(folder, "compiled") };
}

/** The same NODE_OPTIONS for a process of this program. */
export function optionsFor(program: Program, options: string): string {
  const folder = inject("bundle");
  if (folder === null || !program.path.startsWith(folder)) return options;
  return withPreloads(options, (name) => join(folder, `${name}.js`));
}

function withPreloads(options: string, pathOf: (name: string) => string): string {
  return preloads.reduce((all, { path, name }) => all.replaceAll(path, pathOf(name)), options);
}

/** A process of it in this one's environment; what it complains of is shown. */
export function startProgram(name: ProgramName, words: readonly string[], stdout: "pipe" | "ignore" = "pipe"): ChildProcess {
  const { path, compileCache } = bundled(name);
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  return spawn(process.execPath, [path, ...words], { env, stdio: ["ignore", stdout, "inherit"] });
}
