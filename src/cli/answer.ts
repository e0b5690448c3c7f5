// One `svc` command from its words to what it prints and the status it ends with: 0, 1 (refused) or 2 (wrong usage).
import { readFileSync } from "node:fs";
import { maskKeys } from "../accounts/keys.ts";
import { readConfig } from "../config.ts";
import { parseJson } from "../json/parse.ts";
import { type Outcome, UsageError } from "./command.ts";
import { findCommand, helpOf, unknownCommand, usage } from "./help.ts";
import { readWords } from "./read-words.ts";

export interface Answer {
  status: number;
  stdout: string;
  stderr: string;
}

const refused = 1;
const wrongUsage = 2;

export async function answer(given: string[], environment: NodeJS.ProcessEnv): Promise<Answer> {
  const json = given.includes("--json"); // anywhere, also before the command
  const words = given.filter((word) => word !== "--json");
  if (words.length === 0 && json) return complaint(`a command is missing\n\n${helpOf([])}`, wrongUsage); // no JSON object to print
  if (words.length === 0 || words[0] === "help" || words.some((word) => word === "--help" || word === "-h")) return help(words);
  if (words.length === 1 && words[0] === "--version") return printed(version(), json);
  const command = findCommand(words);
  if (!command) return complaint(unknownCommand(words), wrongUsage);
  try {
    const { values, positionals } = readWords(command, words.slice(command.name.split(" ").length));
    const outcome = await command.run({ config: readConfig(environment), words: positionals, options: values, json });
    return outcome ? printed(outcome, json) : { status: 0, stdout: "", stderr: "" };
  } catch (error) {
    if (error instanceof UsageError) return complaint(`${error.message}\nusage: ${usage(command)}`, wrongUsage);
    return complaint(sentence(error), refused);
  }
}

function printed(outcome: Outcome, json: boolean): Answer {
  return { status: outcome.bad ? refused : 0, stdout: `${json ? JSON.stringify(outcome.json) : outcome.text}\n`, stderr: "" };
}

/** Without keys, which don't belong in terminals' records and logs. */
function complaint(message: string, status: number): Answer {
  return { status, stdout: "", stderr: `${maskKeys(message)}\n` };
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

function help(given: string[]): Answer {
  const words = given.filter((word) => word !== "help" && !word.startsWith("-"));
  const text = helpOf(words);
  return text === undefined ? complaint(unknownCommand(words), wrongUsage) : { status: 0, stdout: `${text}\n`, stderr: "" };
}

function version(): Outcome {
  const { version } = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return { json: { version }, text: version };
}
