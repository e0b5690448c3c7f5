// The `svc` command: finds the command that was asked for, prints what it found, ends with 0, 1 (refused) or
// 2 (wrong usage). bin/svc.js starts this file under the pinned runtime.
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { maskKeys } from "../accounts/keys.ts";
import { readConfig } from "../config.ts";
import { type Outcome, UsageError } from "./command.ts";
import { parseJson } from "../json/parse.ts";
import { findCommand, helpOf, unknownCommand, usage } from "./help.ts";
import { readWords } from "./read-words.ts";

const refused = 1;
const wrongUsage = 2;

// bin/svc.js may run under another Node and wait for this process. It passes signals on as messages; killed hard it
// can't, but its channel closes. (start.ts handles a worker's channel.)
if (process.channel && !cluster.isWorker) {
  process.on("message", (signal: NodeJS.Signals) => process.emit(signal, signal) || process.kill(process.pid, signal));
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

await main(process.argv.slice(2));

async function main(given: string[]): Promise<void> {
  const json = given.includes("--json"); // anywhere, also before the command
  const words = given.filter((word) => word !== "--json");
  if (words.length === 0 && json) return complain(`a command is missing\n\n${helpOf([])}`, wrongUsage); // there is no JSON object to print
  if (words.length === 0 || words[0] === "help" || words.some((word) => word === "--help" || word === "-h")) return help(words);
  if (words.length === 1 && words[0] === "--version") return print(version(), json);
  const command = findCommand(words);
  if (!command) return complain(unknownCommand(words), wrongUsage);
  try {
    const { values, positionals } = readWords(command, words.slice(command.name.split(" ").length));
    const outcome = await command.run({ config: readConfig(process.env), words: positionals, options: values, json });
    if (outcome) print(outcome, json);
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\nusage: ${usage(command)}`, wrongUsage);
    complain(sentence(error), refused);
  }
}

function print(outcome: Outcome, json: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(outcome.json) : outcome.text}\n`);
  if (outcome.bad) process.exitCode = refused;
}

function complain(message: string, status: number): never {
  process.stderr.write(`${maskKeys(message)}\n`); // keys don't belong in terminals' records and logs
  process.exit(status); // a start that failed half way may have left something open
}

/** The error and its causes, without a stack: an operator reads this. */
function sentence(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at instanceof Error && messages.length < 4; at = at.cause) {
    const inner = at instanceof AggregateError ? at.errors.map((one) => (one as Error).message).join("; ") : at.message;
    messages.push(inner);
  }
  return messages.join(": ") || String(error);
}

function help(given: string[]): void {
  const words = given.filter((word) => word !== "help" && !word.startsWith("-"));
  const text = helpOf(words);
  if (text === undefined) return complain(unknownCommand(words), wrongUsage);
  process.stdout.write(`${text}\n`);
}

function version(): Outcome {
  const { version } = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return { json: { version }, text: version };
}
