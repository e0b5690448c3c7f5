// What a command of `svc` is: its types and its two kinds of refusal. commands.ts lists the commands.
import type { Config } from "../config.ts";

export interface Input {
  config: Config;
  /** As many as the command names. */
  words: string[];
  options: Record<string, string | boolean | undefined>;
  json: boolean;
}

export interface Outcome {
  /** What --json prints. */
  json: object;
  /** What is printed without it. */
  text: string;
  /** The command worked, but what it found is bad: exit status 1. */
  bad?: boolean;
}

export interface Option {
  /** A string's value as the help names it, such as USD. */
  value?: string;
  type: "string" | "boolean";
  does: string;
  /** Absent: it may be left out. */
  required?: true;
}

export interface Command {
  /** `account create` */
  name: string;
  /** Names of the words that follow, in order. */
  takes: readonly string[];
  options: Readonly<Record<string, Option>>;
  does: string;
  /** Loaded when chosen, so that a small command answers fast. Null: it has printed everything itself. */
  run: (input: Input) => Promise<Outcome | null>;
}

/** Wrong usage: exit status 2. */
export class UsageError extends Error {}
