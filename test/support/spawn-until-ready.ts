// A process of its own that prints a line when it is ready, and on it where it answers.
import { spawn, type SpawnOptions } from "node:child_process";
import { createInterface } from "node:readline";

export interface ReadyProcess {
  /** The first group of its ready line. */
  url: string;
  pid: number;
  /** What it printed so far, both streams. */
  output(): string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves at its end, to its status; null: a signal ended it. */
  exited: Promise<number | null>;
}

/** Resolves at the line that `ready` matches; an error with all that it said where it ends before. */
export async function spawnUntilReady(
  ready: RegExp,
  command: string,
  words: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "detached">,
): Promise<ReadyProcess> {
  const child = spawn(command, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  let output = "";
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output += `${line}\n`;
      const found = ready.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then((status) => reject(new Error(`it ended with ${status} before it was ready:\n${output}`)));
  });
  return {
    url,
    pid: child.pid!,
    output: () => output,
    kill(signal) {
      child.kill(signal);
      return exited;
    },
    exited,
  };
}
