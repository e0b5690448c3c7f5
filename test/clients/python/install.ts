// `npm run clients:python`: the pinned Python clients in a virtual environment of their own. Where Python or the index
// can't be had it says so, leaves that as an excuse for the tests, and ends well; any other fault is one.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { anthropic2, excuse, folder, hasPython, installed, interpreter, pins, requirements, s3Server, whyNot } from "./environment.ts";

/** pip's words where the index can't be reached; a pin that doesn't exist reads otherwise. */
const noIndex = /from versions: none|connection|timed out|name resolution|proxyerror|sslerror/i;

if (whyNot() === null) console.log("The Python clients are there already.");
else install();

function install(): void {
  rmSync(folder, { recursive: true, force: true });
  if (!hasPython()) return goOnWithout("there is no python3");
  const made = run("python3", ["-c", "import sys; assert sys.version_info >= (3, 10), 'Python 3.10 is needed'"], ["-m", "venv", folder]);
  if (made !== null) return goOnWithout(`python3 makes no virtual environment: ${lastLine(made)}`);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "2"];
  const fault = run(
    interpreter,
    [...pip, "-r", requirements[0]],
    [...pip, "--target", anthropic2, "-r", requirements[1]],
    [...pip, "--target", s3Server, "-r", requirements[2]],
  );
  if (fault === null) {
    writeFileSync(installed, pins());
    console.log(`The Python clients are installed in ${folder}.`);
  } else if (noIndex.test(fault)) {
    goOnWithout(`the package index can't be had: ${lastLine(fault)}`);
  } else {
    console.error(fault);
    process.exitCode = 1;
  }
}

function goOnWithout(reason: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(excuse, `${reason}\n`);
  console.log(`No Python clients, and their tests will be skipped: ${reason}`);
}

/** Null where every command ended well, else what the first other one said. */
function run(command: string, ...calls: string[][]): string | null {
  for (const args of calls) {
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8" });
    if (status !== 0) return `${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`;
  }
  return null;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
