// `svc start` as a process of its own, for tests that end it: by a signal, by kill -9, or beside others on one database.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { svcPath } from "./svc-path.ts";

export interface SpawnedGateway {
  url: string;
  pid: number;
  /** What it printed so far, both streams. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** `svc start` as an operator starts it; resolves at its ready line. */
export async function spawnGateway(env: Record<string, string>): Promise<SpawnedGateway> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_|DATABASE|SVC_)/.test(name)));
  const child = spawn(process.execPath, [svcPath, "start"], {
    env: { ...inherited, PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      const ready = /^gateway ready (http\S+)$/.exec(line);
      if (ready) resolve(ready[1]!);
    });
    void exited.then((status) => reject(new Error(`the gateway ended with ${status} before it was ready:\n${output}`)));
  });
  return {
    url,
    pid: child.pid!,
    output: () => output,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
