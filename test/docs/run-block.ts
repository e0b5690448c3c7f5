// Runs samples as they stand: those of the shell one after the other in one shell, so that a later one knows the variables of an earlier
// one, those of TypeScript and Python each in a process of its own.
import { spawn } from "node:child_process";
import type { Block } from "./guide-blocks.ts";
import { delimiter } from "node:path";
import { builtPythonSdk } from "../clients/python/built-sdk.ts";
import { frameworks, interpreter, pythonSdkTools } from "../clients/python/environment.ts";
import { openShell, type ShellSession } from "./shell.ts";

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
    async run(block) {
      if (block.language === "ts") return runProcess(process.execPath, ["--input-type=module-typescript", "-"], block.code, place);
      if (block.language === "python") return runProcess(interpreter, ["-B", "-"], block.code, await pythonPlace(place, block.code));
      // Any command that fails ends it, and so does a test. Both streams are what a reader sees.
      shell ??= openShell({ ...place, opening: "exec 2>&1; set -eo pipefail" });
      const { code, answers, operator } = block;
      if (operator !== null) await shell.run(operator);
      return shell.run(answers === null ? code : withAnswer(code, await foundIn(() => place.gatewayOutput(), answers)));
    },
    close: () => shell?.close(),
  };
}

/** With the packages that a sample imports, and a folder of its own for what one of them keeps in the home of its user. */
async function pythonPlace(place: Place, code: string): Promise<Place> {
  const packages = [frameworks];
  if (code.includes("svc_sdk")) packages.unshift(await builtPythonSdk(), pythonSdkTools);
  // litellm would load its list of prices from elsewhere.
  const own = { PYTHONPATH: packages.join(delimiter), LLM_USER_PATH: place.folder, LITELLM_LOCAL_MODEL_COST_MAP: "True" };
  return { ...place, environment: { ...place.environment, ...own } };
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
