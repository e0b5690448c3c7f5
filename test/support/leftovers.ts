// What a run of the tests leaves behind: processes that it started, and files in the folder that is its temporary one. A run that left
// something names it, ends and removes it, and fails. Runs beside it on the same machine are none of its business.
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** In the environment of every process of a run: its temporary folder, which tells it from all others. */
export const runVariable = "TEST_RUN";

export interface Left {
  pid: number;
  command: string;
}

/** For processes that inherit nothing else: their run finds them, and they write where it looks. */
export function runEnvironment(): Record<string, string> {
  const names = ["PATH", "TMPDIR", runVariable];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

/** A new folder that need not be removed: the run does it, where there is one. */
export function scratchFolder(prefix: string): string {
  const run = process.env[runVariable];
  return mkdtempSync(join(run === undefined ? tmpdir() : join(run, "run"), prefix));
}

/** Room for the databases of all tests that run at once. */
const memoryBytes = 6 * 2 ** 30;

/**
 * For runs that do not measure a disk: memory, where there is plenty. A test's database is 700 small files, whose making and removing costs
 * a disk's file system twenty times as much. A TMPDIR that was given is kept to.
 */
export function quickFolder(): string {
  const shared = "/dev/shm";
  if (process.env.TMPDIR !== undefined || !existsSync(shared)) return tmpdir();
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , type, options = ""] = mounts.find((line) => line.split(" ")[1] === shared)?.split(" ") ?? [];
  const { bavail, bsize } = statfsSync(shared);
  const room = Math.min(bavail * bsize, process.availableMemory());
  return type === "tmpfs" && !/\b(ro|noexec)\b/.test(options) && room >= memoryBytes ? shared : tmpdir();
}

/**
 * From here on this process and those that it starts have a temporary folder of their own. What the run itself keeps is in `runFolder`. The
 * path is short: with those of tests behind it, it must fit into a socket's 107 bytes.
 */
export function openRun(parent = tmpdir()): { folder: string; runFolder: string } {
  const folder = mkdtempSync(join(parent, "svct-"));
  chmodSync(folder, 0o711); // root's embedded database may run as nobody, who must reach it
  const runFolder = join(folder, "run");
  mkdirSync(runFolder);
  process.env.TMPDIR = folder;
  process.env[runVariable] = folder;
  // A run that is ended from outside does without its own end.
  process.once("SIGTERM", () => process.exit(143));
  process.once("exit", () => existsSync(folder) && endAll(folder));
  return { folder, runFolder };
}

/** At once, the processes of Vitest as well. */
function endAll(folder: string): void {
  for (const { pid } of processesOf(folder, { withChildren: true })) kill(pid);
  for (const { socket } of socketFolders(folder)) rmSync(socket, { recursive: true, force: true });
  removeTree(folder);
}

/** The run's own, and what Node keeps of the code of any tool that asks it to (module.enableCompileCache), as npm and tsc do. */
const kept = ["run", "node-compile-cache"];

/** Of its last moments: a process that was asked to end may take some seconds. */
const timeoutMs = 5_000;

/** Ends and removes what is left; returns what it was. To be asked when nothing of the run should be running any more. */
export async function clearRun(folder: string, waitMs = timeoutMs): Promise<string[]> {
  const until = Date.now() + waitMs;
  while (processesOf(folder).length > 0 && Date.now() < until) await sleep(50);
  const complaints: string[] = [];
  // Several times, since what is killed may have started another.
  for (let left = processesOf(folder); left.length > 0; left = processesOf(folder)) {
    for (const { pid, command } of left) {
      complaints.push(`process ${pid} was left running: ${command}`);
      kill(pid);
    }
    while (left.some(({ pid }) => processesOf(folder).some((other) => other.pid === pid))) await sleep(20);
  }
  for (const name of readdirSync(folder)) if (!kept.includes(name)) complaints.push(`left in the temporary folder: ${name}`);
  for (const { socket, data } of socketFolders(folder)) {
    complaints.push(`a socket of Postgres was left: ${socket}, of the data in ${data}`);
    rmSync(socket, { recursive: true, force: true });
  }
  removeTree(folder);
  process.env.TMPDIR = dirname(folder);
  return complaints;
}

/** At a run's end. */
export async function failOnLeftovers(folder: string): Promise<void> {
  const complaints = await clearRun(folder);
  if (complaints.length === 0) return;
  console.error(`\nThe tests left something behind:\n${complaints.map((line) => `  ${line}`).join("\n")}`);
  process.exitCode = 1;
}

/** Those of the run; without this one's children, unless they are asked for: Vitest's workers are some. Where there is no /proc: none. */
export function processesOf(folder: string, { withChildren = false } = {}): Left[] {
  return globSync("/proc/[0-9]*").flatMap((path) => {
    try {
      const [state, parent] = readFileSync(join(path, "stat"), "latin1").split(") ").at(-1)!.split(" ");
      const pid = Number(path.slice("/proc/".length));
      if (state === "Z" || pid === process.pid || (!withChildren && Number(parent) === process.pid)) return [];
      const words = readFileSync(join(path, "cmdline"), "utf8").split("\0");
      const marked = readFileSync(join(path, "environ"), "utf8").split("\0").includes(`${runVariable}=${folder}`);
      // Postgres gets an environment of its own; its data lies in the run's folder.
      const within = [readlinkSync(join(path, "cwd")), ...words].some((word) => word === folder || word.startsWith(`${folder}/`));
      return marked || within ? [{ pid, command: words.join(" ").trim() }] : [];
    } catch {
      return []; // it has ended, or is another user's
    }
  });
}

/** Postgres's sockets lie elsewhere, for the length of their path (src/db/embedded.ts); their lock names the data they belong to. */
function socketFolders(folder: string): { socket: string; data: string }[] {
  return globSync("/tmp/svc-*/.s.PGSQL.*.lock").flatMap((lock) => {
    try {
      const data = readFileSync(lock, "utf8").split("\n")[1] ?? "";
      return data.startsWith(`${folder}/`) ? [{ socket: dirname(lock), data }] : [];
    } catch {
      return [];
    }
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it has just ended
  }
}

/** Tests may have made folders that nobody may write to. */
function removeTree(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
}
