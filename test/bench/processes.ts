// The processes of a benchmark: starting and ending them, and what the kernel says of their time and memory.
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export const ticksPerSecond = 100;
/** As `npm start` runs it; a reference gets the same. */
const runtimeFlags = ["--max-semi-space-size=32"];
const children: ChildProcess[] = [];

/** Resolves once the process has printed `pattern`, to what its first group found. */
export function startChild(args: string[], pattern: RegExp, env: NodeJS.ProcessEnv = process.env): Promise<{ found: string; pid: number }> {
  const child = spawn(process.execPath, [...runtimeFlags, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) resolve({ found, pid: child.pid as number });
    });
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} ended with ${code}: ${text}`)));
  });
}

export async function endChildren(): Promise<void> {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(
    children.filter((child) => child.exitCode === null).map((child) => new Promise((resolve) => child.once("exit", resolve))),
  );
}

/** utime + stime in ticks, of all its threads. */
export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** A postmaster, and all of its children: those that have ended are in its cutime. */
export function cpuOfAll(pid: number): number {
  let sum = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1]);
      if (Number(name) === pid || parent === pid) sum += cpuOf(Number(name));
    } catch {
      // it ended meanwhile
    }
  }
  return sum;
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
