// One Python process a test file, which runs scenarios of a module beside this file when it is told to (driver.py).
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, test } from "vitest";
import { runEnvironment } from "../../support/leftovers.ts";
import { excuse, hasPython, interpreter, whyNot } from "./environment.ts";

/** What a scenario came to. */
export interface Ran {
  value?: any;
  raised?: {
    class: string;
    bases: string[];
    text: string;
    status_code: number | null;
    code: string | null;
    param: string | null;
    type: string | null;
    request_id: string | null;
    body: any;
  };
  /** One a reply: its status, and its `retry-after-ms`. */
  statuses: number[];
  told: (string | null)[];
  /** Seconds that the client would have waited before it tried again. */
  slept: number[];
}

export interface Python {
  run(scenario: string, at: { base: string; key: string }, args?: Record<string, unknown>): Promise<Ran>;
}

/** `describe`, or a skip that says why. In CI a machine with Python has to have tried: then it is a failure. */
export function describeWithPython(title: string, body: () => void): void {
  const reason = whyNot();
  if (reason === null) return void describe(title, body);
  const excused = existsSync(excuse) || !hasPython();
  if (process.env.CI === "true" && !excused) return void test(title, () => Promise.reject(new Error(reason)));
  console.warn(`skipped: ${title}: ${reason}`);
  describe.skip(`${title} (${reason})`, body);
}

export function usePython(module: string, environment: Record<string, string> = {}): Python {
  let child: ChildProcess;
  let lines: AsyncIterator<string>;
  let last: Promise<unknown> = Promise.resolve();
  let output = "";
  beforeAll(() => {
    const cwd = fileURLToPath(new URL(".//", import.meta.url));
    child = spawn(interpreter, ["-B", "driver.py", module], { cwd, env: { ...runEnvironment(), ...environment } });
    child.stderr!.on("data", (text: Buffer) => void (output += text.toString()));
    lines = createInterface(child.stdout!)[Symbol.asyncIterator]();
  });
  afterAll(() => void child.kill());

  async function ask(line: string): Promise<Ran> {
    child.stdin!.write(`${line}\n`);
    const { done, value } = await lines.next();
    if (done) throw new Error(`the Python process ended: ${output}`);
    return JSON.parse(value) as Ran;
  }
  return {
    /** One at a time, in order: the process has one thread. */
    run: (scenario, { base, key }, args = {}) => {
      const next = last.then(() => ask(JSON.stringify({ scenario, base, key, args })));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
