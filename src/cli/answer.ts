// One `svc` command from its words to what it prints and the status it ends with: 0, 1 (refused) or 2 (wrong usage; of
// a command that compares, any trouble); and the help.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { maskKeys } from "../accounts/keys.ts";
import { readConfig } from "../config.ts";
import { parseJson } from "../json/parse.ts";
import { likenessOfWords } from "../text/likeness.ts";
import { type Command, type Outcome, UsageError } from "./command.ts";
import { commands } from "./commands.ts";

interface Answer {
  status: number;
  stdout: string;
  stderr: string;
}

const refused = 1;
const wrongUsage = 2;
const trouble = 2;

export async function answer(given: string[], environment: NodeJS.ProcessEnv): Promise<Answer> {
  const json = given.includes("--json"); // anywhere, also before the command
  const words = given.filter((word) => word !== "--json");
  if (words.length === 0 && json) return complaint(`a command is missing\n\n${helpOf([])}`, wrongUsage); // nothing to print as JSON
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
    return complaint(sentence(error), command.compares ? trouble : refused);
  }
}

function printed(outcome: Outcome, json: boolean): Answer {
  return { status: outcome.bad ? refused : 0, stdout: `${json ? JSON.stringify(outcome.json) : outcome.text}\n`, stderr: "" };
}

/** Masks keys, which don't belong in a terminal's scrollback or in logs. */
function complaint(message: string, status: number): Answer {
  return { status, stdout: "", stderr: `${maskKeys(message)}\n` };
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

function help(given: string[]): Answer {
  const words = given.filter((word) => word !== "help" && !word.startsWith("-"));
  const text = helpOf(words);
  return text === undefined ? complaint(unknownCommand(words), wrongUsage) : { status: 0, stdout: `${text}\n`, stderr: "" };
}

function version(): Outcome {
  const { version } = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };
  return { json: { version }, text: version };
}

// Parses a command's arguments and options, with node's own parser.

interface Words {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** Throws UsageError. */
function readWords({ options, takes }: Command, words: readonly string[]): Words {
  const { values, positionals } = parse(options, words.map(markNumber));
  if (positionals.length < takes.length) throw new UsageError(`${takes[positionals.length]} is missing`);
  const isList = takes.at(-1)?.endsWith("…") ?? false;
  if (positionals.length > takes.length && !isList)
    throw new UsageError(`too many arguments: ${positionals.slice(takes.length).join(" ")}`);
  const missing = Object.entries(options).find(([name, { required }]) => required === true && values[name] === undefined);
  if (missing !== undefined) throw new UsageError(`--${missing[0]} is missing (${missing[1].does})`);
  return { values, positionals };
}

function parse(options: Command["options"], args: string[]): Words {
  try {
    const { values, positionals, tokens } = parseArgs({ args, options: shapes(options), allowPositionals: true, tokens: true });
    const given = tokens.flatMap((token) => (token.kind === "option" && token.value !== undefined ? [token.name] : []));
    const twice = given.find((name, index) => given.indexOf(name) !== index);
    if (twice !== undefined) throw new UsageError(`--${twice} is given twice`);
    const read = Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? unmark(value) : value]);
    return { values: Object.fromEntries(read) as Words["values"], positionals: positionals.map(unmark) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = unmark(message.split(". ")[0]!);
    const typed = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'--([^'=]+)/.exec(message)?.[1] : undefined;
    const near = typed === undefined ? undefined : nearest(["json", "help", ...Object.keys(options)], () => typed);
    throw new UsageError(near === undefined ? problem : `${problem}; did you mean --${near}?`);
  }
}

function shapes(options: Command["options"]) {
  return Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
}

/** The parser would take the amount `-5` for an option. No argument can contain the mark. */
const mark = "\0";

function markNumber(word: string): string {
  return /^-\.?\d/.test(word) ? mark + word : word;
}

function unmark(text: string): string {
  return text.replaceAll(mark, "");
}

// The help: the overview, the help of a command or of a group, and which command or option was probably meant.

function usage({ name, takes, options }: Command): string {
  const shown = Object.entries(options).map(([option, { value, required }]) => {
    const whole = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? whole : `[${whole}]`;
  });
  return ["svc", name, ...takes, ...shown, "[--json]"].join(" ");
}

/** The help of the command that the words begin with, else of their group, else the overview; undefined: no such command. */
function helpOf(words: readonly string[]): string | undefined {
  const command = findCommand(words);
  if (command) return commandHelp(command);
  const group = commandsOf(words[0]);
  if (words.length === 1 && group.length > 0)
    return `svc ${words[0]}:\n\n${listed(group)}\n\nsvc help ${words[0]} COMMAND shows its options.`;
  return words.length === 0 ? overview() : undefined;
}

function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(" ").every((part, index) => words[index] === part));
}

/** The message for words that name no command, with the command that was probably meant. */
function unknownCommand(words: readonly string[]): string {
  const group = commandsOf(words[0]);
  if (words.length === 1 && group.length > 0) return `svc ${words[0]} needs a command:\n\n${listed(group)}`;
  const typed = words.filter((word) => !word.startsWith("-"));
  const near = nearest(
    commands.map(({ name }) => name),
    (name) => typed.slice(0, name.split(" ").length).join(" "),
  );
  const hint =
    near === undefined ? (group.length > 0 ? listed(group) : overview()) : `Did you mean svc ${near}? svc help lists all commands.`;
  return `no such command: svc ${words.join(" ")}\n\n${hint}`;
}

/** The most similar name; undefined if none is similar enough. `typedFor`: what was typed in place of a name. */
function nearest(names: readonly string[], typedFor: (name: string) => string): string | undefined {
  const rated = names.map((name) => ({ name, likeness: likenessOfWords(typedFor(name), name) }));
  return rated.filter(({ likeness }) => likeness >= likenessMin).sort((one, other) => other.likeness - one.likeness)[0]?.name;
}

/** Two wrong letters in a short word are another word. */
const likenessMin = 0.6;

function commandHelp(command: Command): string {
  const options: [string, string][] = [
    ...Object.entries(command.options).map(([name, { value, does }]): [string, string] => [
      value === undefined ? `--${name}` : `--${name} ${value}`,
      does,
    ]),
    ["--json", "print one JSON object"],
  ];
  const width = Math.max(...options.map(([left]) => left.length));
  return [`usage: ${usage(command)}`, command.does, "", ...options.map(([left, does]) => `  ${left.padEnd(width)}  ${does}`)].join("\n");
}

function commandsOf(group: string | undefined): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `));
}

function listed(some: readonly Command[]): string {
  return some.map((command) => `  ${usage(command).replace(/^svc | \[--json\]$/g, "")}\n      ${command.does}`).join("\n");
}

function overview(): string {
  return [
    "svc: the gateway's operator command",
    listed(commands),
    "svc help COMMAND shows a command's options; svc --version prints the version.",
    "--json prints one JSON object. Settings are environment variables: DATABASE_URL, SVC_DATA_DIR, SVC_CATALOG, …",
  ].join("\n\n");
}
