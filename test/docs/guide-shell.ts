// The commands of a guide (src/docs/guides/*.md) in one shell, one after the other, for tests that look closely at what each does.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { freshDatabase } from "../support/database.ts";
import { runEnvironment } from "../support/leftovers.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";
import { blocksOf } from "./guide-blocks.ts";
import { makeReaderFolder } from "./reader-folder.ts";
import { openShell } from "./shell.ts";

/** A machine may be new: the guides are about curl, and nothing else here needs it. */
export const hasCurl = spawnSync("curl", ["--version"]).status === 0;

export interface GuideShell {
  gateway: SpawnedGateway;
  /** Where the commands run. */
  folder: string;
  /** Runs the guide's next command, which begins like that; resolves to what it prints. */
  next(beginning: string, placeholders?: Record<string, string>): Promise<string>;
  json(beginning: string, placeholders?: Record<string, string>): Promise<Record<string, any>>;
  /** Runs a command that isn't in the guide. */
  run(command: string): Promise<string>;
  /** Commands of the guide that no one ran. */
  left(): string[];
  close(): Promise<void>;
}

/** The commands of a guide's samples, those included that a reader has to change first. */
function guideCommands(guide: string): string[] {
  return blocksOf(guide)
    .filter(({ language }) => language === "sh")
    .flatMap(({ code, operator }) => [...(operator === null ? [] : [operator]), ...commandsOf(code)]);
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

/** A gateway of the guide's own on a fresh database, and a shell that knows both. `settings` are variables for the gateway alone. */
export async function openGuideShell(guide: string, settings: Record<string, string> = {}): Promise<GuideShell> {
  const commands = guideCommands(guide);
  const folder = makeReaderFolder();
  const database = await freshDatabase();
  const gateway = await spawnGateway({ DATABASE_URL: database.url, SVC_DATA_DIR: `${folder.path}/.svc`, ...settings });
  const { HOME } = process.env as Record<string, string>;
  const environment = { ...runEnvironment(), HOME: HOME!, DATABASE_URL: database.url, SVC_URL: gateway.url };
  const { run, close } = openShell({ folder: folder.path, environment });

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
    gateway,
    folder: folder.path,
    next,
    json: async (...command) => JSON.parse(await next(...command)) as Record<string, any>,
    run,
    left: () => commands,
    async close() {
      close();
      await gateway.kill("SIGTERM");
      await database.drop();
      folder.remove();
    },
  };
}
