// The help of `svc`: the overview, the help of a command or of a group, and which command or option was probably meant.
import { likenessOfWords } from "../text/likeness.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";

export function usage({ name, takes, options }: Command): string {
  const shown = Object.entries(options).map(([option, { value, required }]) => {
    const whole = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? whole : `[${whole}]`;
  });
  return ["svc", name, ...takes, ...shown, "[--json]"].join(" ");
}

/** The help of the command that the words begin with, else of their group, else the overview; undefined: no such command. */
export function helpOf(words: readonly string[]): string | undefined {
  const command = findCommand(words);
  if (command) return commandHelp(command);
  const group = commandsOf(words[0]);
  if (words.length === 1 && group.length > 0)
    return `svc ${words[0]}:\n\n${listed(group)}\n\nsvc help ${words[0]} COMMAND shows its options.`;
  return words.length === 0 ? overview() : undefined;
}

export function findCommand(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name.split(" ").every((part, index) => words[index] === part));
}

/** The message for words that name no command, with the command that was probably meant. */
export function unknownCommand(words: readonly string[]): string {
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
export function nearest(names: readonly string[], typedFor: (name: string) => string): string | undefined {
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
