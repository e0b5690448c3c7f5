// The `svc` command: finds the command that was asked for, prints what it found, ends with 0, 1 (refused) or
// 2 (wrong usage). bin/svc.js starts this file under the pinned runtime.
import cluster from "node:cluster";
import { parseArgs } from "node:util";
import { maskKeys } from "../accounts/keys.ts";
import { readConfig } from "../config.ts";
import { type Command, type Outcome, UsageError } from "./command.ts";
import { commands } from "./commands.ts";

const refused = 1;
const wrongUsage = 2;

// bin/svc.js may run under another Node and wait for this process. It passes signals on as messages; killed hard it
// can't, but its channel closes. (A worker's channel is start.ts's matter.)
if (process.channel && !cluster.isWorker) {
  process.on("message", (signal: NodeJS.Signals) => process.emit(signal, signal) || process.kill(process.pid, signal));
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

await main(process.argv.slice(2));

async function main(given: string[]): Promise<void> {
  const json = given.includes("--json"); // anywhere, also before the command
  const words = given.filter((word) => word !== "--json");
  if (words.length === 0 && json) return complain(`a command is missing\n\n${overview()}`, wrongUsage); // no JSON object to print
  if (words.length === 0 || words[0] === "help" || words.some((word) => word === "--help" || word === "-h")) return help(words);
  const command = find(words);
  if (!command) return complain(`no such command: svc ${words.join(" ")}\n\n${overview()}`, wrongUsage);
  try {
    const { values, positionals } = read(command, words);
    const outcome = await command.run({ config: readConfig(process.env), words: positionals, options: values, json });
    if (outcome) print(outcome, json);
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\nusage: ${usage(command)}`, wrongUsage);
    complain(sentence(error), refused);
  }
}

function find(words: string[]): Command | undefined {
  return commands.find(({ name }) => name.split(" ").every((part, index) => words[index] === part));
}

function read(command: Command, words: string[]): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  const args = words.slice(command.name.split(" ").length);
  let parsed;
  try {
    parsed = parseArgs({ args, options: command.options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(". ")[0]);
  }
  const { positionals } = parsed;
  if (positionals.length < command.takes.length) throw new UsageError(`${command.takes[positionals.length]} is missing`);
  if (positionals.length > command.takes.length)
    throw new UsageError(`too many arguments: ${positionals.slice(command.takes.length).join(" ")}`);
  return { values: parsed.values as Record<string, string | boolean | undefined>, positionals };
}

function print(outcome: Outcome, json: boolean): void {
  process.stdout.write(`${json ? JSON.stringify(outcome.json) : outcome.text}\n`);
  if (outcome.bad) process.exitCode = refused;
}

function complain(message: string, status: number): never {
  process.stderr.write(`${maskKeys(message)}\n`); // keys don't belong in terminals' records and logs
  process.exit(status); // a start that failed half way may have left something open
}

/** What went wrong and what lay beneath it, without a stack: an operator reads this. */
function sentence(error: unknown): string {
  const messages: string[] = [];
  for (let at = error; at instanceof Error && messages.length < 4; at = at.cause) {
    const inner = at instanceof AggregateError ? at.errors.map((one) => (one as Error).message).join("; ") : at.message;
    messages.push(inner);
  }
  return messages.join(": ") || String(error);
}

function help(words: string[]): void {
  const command = find(words.filter((word) => word !== "help"));
  const text = command ? `usage: ${usage(command)}\n${command.does}` : overview();
  process.stdout.write(`${text}\n`);
}

function usage(command: Command): string {
  return ["svc", command.name, ...command.takes, command.shown, "[--json]"].filter((part) => part !== "").join(" ");
}

function overview(): string {
  const lines = commands.map(
    (command) => `  ${[command.name, ...command.takes, command.shown].filter((part) => part !== "").join(" ")}\n      ${command.does}`,
  );
  return `svc: the gateway's operator command\n\n${lines.join("\n")}\n\n--json prints one JSON object. Settings are environment variables: DATABASE_URL, SVC_DATA_DIR, SVC_CATALOG, …`;
}
