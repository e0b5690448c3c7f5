// A virtual environment of its own with pinned packages, made once and made anew when the pins change. Where Python or the index can't be
// had it says so in a file, and that is no fault; any other is one.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface PrivatePython {
  folder: string;
  /** Files of exact pins, dependencies included. `target`: a folder that takes the place of others on PYTHONPATH. */
  pins: { file: string; target?: string }[];
}

/** Installs in seconds what takes pip minutes. */
const uv = "uv==0.13.9";

/** pip's words, and uv's, where the index can't be reached; a pin that doesn't exist reads otherwise. */
const noIndex = /from versions: none|connection|timed out|name resolution|proxyerror|sslerror|failed to fetch/i;

/** Says, in a file, why there is nothing to run with: no Python, or no index to install from. */
export const excuseOf = ({ folder }: PrivatePython) => join(folder, "excuse.txt");
/** What was installed. A change of the pins makes it out of date. */
const installedOf = ({ folder }: PrivatePython) => join(folder, "installed.txt");

export function hasPython(): boolean {
  return spawnSync("python3", ["--version"]).status === 0;
}

export function isInstalled(python: PrivatePython): boolean {
  return existsSync(installedOf(python)) && readFileSync(installedOf(python), "utf8") === pinsText(python);
}

/** Null: it is there. Else why it can't be. Throws where something else than Python or the index is at fault. */
export function install(python: PrivatePython): string | null {
  if (isInstalled(python)) return null;
  rmSync(python.folder, { recursive: true, force: true });
  if (!hasPython()) return excused(python, "there is no python3");
  const made = run(
    "python3",
    ["-c", "import sys; assert sys.version_info >= (3, 11), 'Python 3.11 is needed'"],
    ["-m", "venv", python.folder],
  );
  if (made !== null) return excused(python, `python3 makes no virtual environment: ${lastLine(made)}`);
  const program = join(python.folder, "bin/python");
  const how = ["--quiet", "--python", program, "--no-deps", "--compile-bytecode"];
  const calls = python.pins.map(({ file, target }) => [...how, ...(target === undefined ? [] : ["--target", target]), "-r", file]);
  const fault = run(
    program,
    ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "2", uv],
    ...calls.map((args) => ["-m", "uv", "pip", "install", ...args]),
  );
  if (fault !== null) {
    if (!noIndex.test(fault)) throw new Error(fault);
    return excused(python, `the package index can't be had: ${lastLine(fault)}`);
  }
  writeFileSync(installedOf(python), pinsText(python));
  return null;
}

function pinsText({ pins }: PrivatePython): string {
  return pins.map(({ file }) => readFileSync(file, "utf8")).join("");
}

function excused(python: PrivatePython, reason: string): string {
  mkdirSync(python.folder, { recursive: true });
  writeFileSync(excuseOf(python), `${reason}\n`);
  return reason;
}

/** Null where every command ended well, else what the first other one said. */
function run(command: string, ...calls: string[][]): string | null {
  const env = { UV_DEFAULT_INDEX: process.env.PIP_INDEX_URL, ...process.env }; // uv doesn't read pip's settings
  for (const args of calls) {
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", env });
    if (status !== 0) return `${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`;
  }
  return null;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
