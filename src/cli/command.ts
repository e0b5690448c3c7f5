// What a command of `svc` is: its types and its two kinds of refusal. commands.ts lists the commands.
import type { Config } from "../config.ts";

export interface Input {
  config: Config;
  /** As many as the command names, or more where its last name ends with …. */
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

interface Option {
  /** The placeholder for a string's value in the help, such as USD. */
  value?: string;
  type: "string" | "boolean";
  does: string;
  /** Absent: the option is optional. */
  required?: true;
}

export interface Command {
  /** `account create` */
  name: string;
  /** Names of the words that follow, in order. One that ends with … stands for one or more. */
  takes: readonly string[];
  options: Readonly<Record<string, Option>>;
  does: string;
  /** Its status 1 says that two things differ, as of diff tools; what goes wrong ends it with 2. */
  compares?: true;
  /** Loaded when the command runs, so that a small command answers fast. Null: it has printed everything itself. */
  run: (input: Input) => Promise<Outcome | null>;
}

/** Wrong usage: exit status 2. */
export class UsageError extends Error {}

// Options, as the lists of commands write them.

export const text = (value: string, does: string): Option => ({ type: "string", value, does });
export const flag = (does: string): Option => ({ type: "boolean", does });
