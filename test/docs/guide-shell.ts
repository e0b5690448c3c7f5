// The commands of a guide (src/docs/guides/*.md) in one shell, one after the other, for tests that look closely at what each does.
import { spawn, spawnSync } from "node:child_process";
import { expect } from "vitest";
import { blocksOf } from "./guide-blocks.ts";

/** A machine may be new: the guides are about curl, and nothing else here needs it. */
export const hasCurl = spawnSync("curl", ["--version"]).status === 0;

export interface Shell {
  /** Runs the guide's next command, which begins like that; resolves to what it prints. */
  next(beginning: string, placeholders?: Record<string, string>): Promise<string>;
  json(beginning: string, placeholders?: Record<string, string>): Promise<Record<string, any>>;
  /** Runs a command that isn't in the guide. */
  run(command: string): Promise<string>;
  /** Commands of the guide that no one ran. */
  left(): string[];
  close(): void;
}

/** The commands of a guide's samples, those included that a reader has to change first. */
export function guideCommands(guide: string): string[] {
  return blocksOf(guide)
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => commandsOf(code));
}

/** A line that goes on ends with `\`; a loop or a function with a line of its own. */
function commandsOf(code: string): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of code.split("\n").filter((line) => line !== "")) {
    open += open === "" ? line : `\n${line}`;
    const inside = /^(for .*; do|\w+\(\) \{)$/m.test(open) && !/\n(done|\})$/.test(open);
    if (inside || line.endsWith("\\")) continue;
    commands.push(open);
    open = "";
  }
  if (open !== "") throw new Error(`a command never ends: ${open}`);
  return commands;
}

export function openGuideShell(guide: string, { folder, environment }: { folder: string; environment: Record<string, string> }): Shell {
  const commands = guideCommands(guide);
  const shell = spawn("bash", { cwd: folder, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment } });
  let count = 0;

  async function run(command: string): Promise<string> {
    const end = `end of command ${++count}`;
    shell.stdin.write(`${command}\necho; echo ${end}\n`);
    let printed = "";
    for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false })) {
      printed += chunk as Buffer;
      if (printed.endsWith(`${end}\n`)) break;
    }
    return printed.slice(0, -`\n${end}\n`.length);
  }

  async function next(beginning: string, placeholders: Record<string, string> = {}): Promise<string> {
    let command = commands.shift()!;
    expect(command.startsWith(beginning), `${beginning} is not where it was: ${command}`).toBe(true);
    for (const [placeholder, value] of Object.entries(placeholders)) {
      expect(command).toContain(placeholder);
      command = command.replace(placeholder, () => value);
    }
    return run(command);
  }

  return {
    next,
    json: async (...command) => JSON.parse(await next(...command)) as Record<string, any>,
    run,
    left: () => commands,
    close: () => shell.kill(),
  };
}
