// A page of README.md in one shell: its lines in their order, each with its placeholders filled in, and what they print.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A machine may be new: the pages are about curl, and nothing else here needs it. */
export const hasCurl = spawnSync("curl", ["--version"]).status === 0;

export interface Shell {
  /** Runs the next line of the page, which begins like that; resolves to what it prints. */
  next(beginning: string, placeholders?: Record<string, string>): Promise<string>;
  json(beginning: string, placeholders?: Record<string, string>): Promise<Record<string, any>>;
  /** Runs a line that isn't on the page. */
  run(line: string): Promise<string>;
  /** Lines of the page that no one ran. */
  left(): string[];
  close(): void;
}

/** The commands of a section. */
export function readmePage(title: string): string[] {
  const found = new RegExp(`^## ${title}\\n.*?\`\`\`sh\\n(.*?)\`\`\``, "ms").exec(readFileSync(`${root}/README.md`, "utf8"));
  return found![1]!.split("\n").filter((line) => line !== "");
}

export function openShell(page: string[], environment: Record<string, string>): Shell {
  const lines = [...page];
  const shell = spawn("bash", { cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment } });
  let count = 0;

  async function run(line: string): Promise<string> {
    const end = `end of line ${++count}`;
    shell.stdin.write(`${line}\necho; echo ${end}\n`);
    let printed = "";
    for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false })) {
      printed += chunk as Buffer;
      if (printed.endsWith(`${end}\n`)) break;
    }
    return printed.slice(0, -`\n${end}\n`.length);
  }

  async function next(beginning: string, placeholders: Record<string, string> = {}): Promise<string> {
    let line = lines.shift()!;
    expect(line.startsWith(beginning), `${beginning} is not where it was: ${line}`).toBe(true);
    for (const [placeholder, value] of Object.entries(placeholders)) {
      expect(line).toContain(placeholder);
      line = line.replace(placeholder, () => value);
    }
    return run(line);
  }

  return {
    next,
    json: async (...line) => JSON.parse(await next(...line)) as Record<string, any>,
    run,
    left: () => lines,
    close: () => shell.kill(),
  };
}
