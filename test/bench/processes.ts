// The processes of a benchmark: starting and ending them, the core each may use, and what the kernel says of their time and memory.
import { type ChildProcess, spawn, spawnSync, type StdioOptions } from "node:child_process";
import { openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

export const ticksPerSecond = 100;
/** As `npm start` runs it; a reference gets the same. */
const runtimeFlags = ["--max-semi-space-size=32"];
const children = new Set<ChildProcess>();

interface ChildOptions {
  env?: NodeJS.ProcessEnv;
  /** Absent: those of this process. */
  core?: number | "any";
  /** Where its standard error goes; absent: to ours. */
  logFile?: string;
  /** Absent: node, as `npm start` runs it. */
  command?: string;
  /** The process gets a channel. */
  channel?: boolean;
}

export interface Child {
  /** What the first group of the pattern found. */
  found: string;
  pid: number;
  process: ChildProcess;
}

/** Resolves once the process has printed `pattern`; null: at once. */
export function startChild(args: string[], pattern: RegExp | null, options: ChildOptions = {}): Promise<Child> {
  const { env = process.env, core, logFile, command, channel = false } = options;
  const words = command === undefined ? [process.execPath, ...runtimeFlags, ...args] : [command, ...args];
  const [first, ...rest] =
    canPin && core !== undefined ? ["taskset", "-c", core === "any" ? `0-${cpus().length - 1}` : String(core), ...words] : words;
  const errors = logFile === undefined ? "inherit" : openSync(logFile, "a");
  const stdio: StdioOptions = ["ignore", "pipe", errors, ...(channel ? (["ipc"] as const) : [])];
  const child = spawn(first as string, rest, { env, stdio });
  children.add(child);
  return new Promise((resolve, reject) => {
    let text = "";
    if (pattern === null) resolve({ found: "", pid: child.pid as number, process: child });
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      if (text.length < 100_000) text += chunk;
      const found = pattern?.exec(text);
      if (found) resolve({ found: found[1] ?? "", pid: child.pid as number, process: child });
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      children.delete(child);
      const logged = logFile === undefined ? "" : readFileSync(logFile, "utf8").slice(-2000);
      reject(new Error(`${words.join(" ")} ended with ${code}: ${text}${logged}`));
    });
  });
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (!children.has(child)) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await ended;
  clearTimeout(killTimer);
}

export async function endChildren(): Promise<void> {
  await Promise.all([...children].map(endChild));
}

/** Two cores and util-linux are needed to keep a target apart from what it is measured with. */
export const canPin = availableParallelism() > 1 && spawnSync("taskset", ["--version"]).status === 0;

/** A process that runs already, all of its threads and children. */
export function pin(pid: number, core: number): void {
  if (canPin) for (const one of [pid, ...childrenOf(pid)]) spawnSync("taskset", ["-a", "-c", "-p", String(core), String(one)]);
}

/** Microseconds of processor time, of all threads that live. */
export function cpuUsOf(pid: number): number {
  try {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`))
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    if (nanoseconds > 0) return nanoseconds / 1000;
  } catch {
    // a thread ended meanwhile, or the kernel keeps no such account
  }
  return (cpuOf(pid) / ticksPerSecond) * 1e6;
}

/** A process and its children, in microseconds; of children that have ended, as the kernel adds them up in ticks. */
export function cpuUsOfAll(pid: number): number {
  const ended = statOf(pid).slice(13, 15);
  const endedUs = (ended.reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond) * 1e6;
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + cpuUsOf(one), endedUs);
}

/** utime + stime in ticks, of all its threads; 0 once it has ended. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

export function childrenOf(pid: number): number[] {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return names.map(Number).filter((one) => Number(statOf(one)[1]) === pid);
}

/** The fields of proc(5)'s stat after the name, which may hold spaces: 0 is the state, 1 the parent. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return []; // it ended
  }
}

/** Resident memory in MB: now, and at its highest since `forgetPeak`. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { now: of("VmRSS"), peak: of("VmHWM") };
}

/** proc(5): 5 sets the highest back to what it is now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
