// Parses a command's arguments and options, with node's own parser.
import { parseArgs } from "node:util";
import { type Command, UsageError } from "./command.ts";
import { nearest } from "./help.ts";

interface Words {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
}

/** Throws UsageError. */
export function readWords({ options, takes }: Command, words: readonly string[]): Words {
  const { values, positionals } = parse(options, words.map(markNumber));
  if (positionals.length < takes.length) throw new UsageError(`${takes[positionals.length]} is missing`);
  if (positionals.length > takes.length) throw new UsageError(`too many arguments: ${positionals.slice(takes.length).join(" ")}`);
  return { values, positionals };
}

function parse(options: Command["options"], args: string[]): Words {
  try {
    const { values, positionals } = parseArgs({ args, options: shapes(options), allowPositionals: true });
    const read = Object.entries(values).map(([name, value]) => [name, typeof value === "string" ? unmark(value) : value]);
    return { values: Object.fromEntries(read) as Words["values"], positionals: positionals.map(unmark) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const said = unmark(message.split(". ")[0]!);
    const typed = code === "ERR_PARSE_ARGS_UNKNOWN_OPTION" ? /'--([^'=]+)/.exec(message)?.[1] : undefined;
    const near = typed === undefined ? undefined : nearest(["json", "help", ...Object.keys(options)], () => typed);
    throw new UsageError(near === undefined ? said : `${said}; did you mean --${near}?`);
  }
}

function shapes(options: Command["options"]) {
  return Object.fromEntries(Object.entries(options).map(([name, { type }]) => [name, { type }]));
}

/** `-5` is an amount, which the parser would take for an option. No word of a command line can hold the mark. */
const mark = "\0";

function markNumber(word: string): string {
  return /^-\.?\d/.test(word) ? mark + word : word;
}

function unmark(text: string): string {
  return text.replaceAll(mark, "");
}
