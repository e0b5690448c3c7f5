// Runs `svc` in an environment of its own: as a process, as an operator does, or the same command in this process, which costs no start of Node.
import { spawn } from "node:child_process";
import { answer } from "../../src/cli/answer.ts";
import { runEnvironment } from "../support/leftovers.ts";
import { programFor } from "../support/bundle.ts";

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
  /** stdout parsed, which must be one JSON value and nothing else. */
  json(): Record<string, unknown>;
}

export async function runSvc(env: Record<string, string>, words: string[], runtime: string = process.execPath): Promise<Ran> {
  const { path, compileCache } = programFor("svc", env);
  const inherited = { ...runEnvironment(), NODE_COMPILE_CACHE: compileCache };
  const child = spawn(runtime, [path, ...words], { env: { ...inherited, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}

/** For tests of what a command does; those of how a process starts and ends run one. */
export async function callSvc(env: Record<string, string>, words: string[]): Promise<Ran> {
  const { status, stdout, stderr } = await answer(words, { ...runEnvironment(), ...env });
  return { status, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
}
