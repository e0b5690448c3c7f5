// Runs samples as they stand: those of the shell one after the other in one shell, so that a later one knows the variables of an earlier
// one, those of TypeScript and Python each in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import type { Block } from "./guide-blocks.ts";
import { interpreter } from "../clients/python/environment.ts";

export interface Place {
  folder: string;
  environment: Record<string, string>;
  /** What the gateway has printed so far. */
  gatewayOutput(): string;
}

export interface Runner {
  /** What it prints; an error where its status isn't 0. */
  run(block: Block): Promise<string>;
  close(): void;
}

export function openRunner(place: Place): Runner {
  let shell: ShellSession | undefined;
  return {
    run(block) {
      if (block.language === "ts") return runProcess(process.execPath, ["--input-type=module-typescript", "-"], block.code, place);
      if (block.language === "python") return runProcess(interpreter, ["-B", "-"], block.code, place);
      shell ??= openShell(place);
      return shell.run(block);
    },
    close: () => shell?.close(),
  };
}

/** What it prints; a status other than 0 is an error with all that it said. */
export async function runProcess(
  command: string,
  args: string[],
  code: string,
  { folder, environment }: Omit<Place, "gatewayOutput">,
): Promise<string> {
  const child = spawn(command, args, { cwd: folder, env: environment });
  child.stdin.end(code);
  let printed = "";
  let complained = "";
  child.stdout.on("data", (piece: Buffer) => void (printed += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => void (complained += piece.toString()));
  const status = await new Promise((resolve) => child.on("close", resolve));
  if (status !== 0) throw new Error(`it ended with ${String(status)}: ${complained}${printed}`);
  return printed;
}

interface ShellSession {
  run(block: Block): Promise<string>;
  close(): void;
}

/** Any command that fails ends it, and so does a test. Both streams are what a reader sees. */
function openShell({ folder, environment, gatewayOutput }: Place): ShellSession {
  const shell: ChildProcess = spawn("bash", [], { cwd: folder, env: environment, detached: true, stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  let ended = false;
  let changed = () => {};
  shell.stdout!.on("data", (piece: Buffer) => {
    printed += piece.toString();
    changed();
  });
  shell.once("close", () => {
    ended = true;
    changed();
  });
  shell.stdin!.on("error", () => undefined); // it has ended: run() says so
  shell.stdin!.write("exec 2>&1; set -eo pipefail\n");
  let count = 0;

  return {
    async run({ code, answers }) {
      const end = `end of sample ${++count}`;
      printed = "";
      const answered = answers === null ? code : withAnswer(code, await foundIn(gatewayOutput, answers));
      // The line of `echo` is written at once with the sample: `read` of a sample takes the line after it, which is the answer.
      shell.stdin!.write(`${answered}\necho; echo ${end}\n`);
      while (!printed.endsWith(`\n${end}\n`)) {
        if (ended) throw new Error(`the shell ended: ${printed}`);
        await new Promise<void>((resolve) => (changed = resolve));
      }
      return printed.slice(0, -`\n${end}\n`.length);
    },
    close() {
      if (!ended) process.kill(-shell.pid!, "SIGTERM"); // with what it has left running
    },
  };
}

function withAnswer(code: string, answer: string): string {
  if (!/^read /m.test(code)) throw new Error("an answer for a sample that asks nothing");
  return code.replace(/^read .*$/m, (line) => `${line}\n${answer}`);
}

async function foundIn(output: () => string, pattern: RegExp): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = [...output().matchAll(new RegExp(pattern, "g"))].at(-1)?.[1];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the gateway printed nothing like ${String(pattern)}`);
}
