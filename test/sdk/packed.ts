// The package as a stranger gets it: packed, and installed from the packed file into an empty project, without a network.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject } from "vitest";
import { runEnvironment } from "../support/leftovers.ts";

const run = promisify(execFile);
export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Project {
  folder: string;
  /** Paths in the packed file. */
  packed: string[];
  /** Writes files, by name. */
  write(files: Record<string, string>): void;
  /** What a command prints; throws with it when it fails. */
  run(command: string, args: readonly string[], environment?: Record<string, string>): Promise<string>;
}

export async function emptyProject(): Promise<Project> {
  const folder = mkdtempSync(join(inject("runFolder"), "svc-sdk-project-"));
  const environment = { ...runEnvironment(), HOME: folder, npm_config_cache: join(folder, ".npm"), npm_config_update_notifier: "false" };
  const npm = (args: string[], cwd: string) => run("npm", args, { cwd, env: environment as never });
  const { stdout } = await npm(["pack", "--json", "--pack-destination", folder], `${root}generated/sdk`);
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  await npm(["install", "--offline", "--no-audit", "--no-fund", `./${filename}`], folder);
  return {
    folder,
    packed: files.map(({ path }) => path).sort(),
    write(texts) {
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
    },
    async run(command, args, more = {}) {
      try {
        const { stdout } = await run(command, args, { cwd: folder, env: { ...runEnvironment(), ...more }, timeout: 120_000 });
        return stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`, { cause: error });
      }
    },
  };
}

/** Node's own types, as `npm install --save-dev @types/node` would bring them. */
export function addNodeTypes({ folder }: Project): void {
  mkdirSync(join(folder, "node_modules", "@types"), { recursive: true });
  for (const name of ["@types/node", "undici-types"])
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name), "dir");
}

/** The TypeScript of a page, fence by fence. */
export function samplesOf(markdown: string): string[] {
  return [...markdown.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code]) => code!);
}

export const readme = (): string => readFileSync(`${root}generated/sdk/README.md`, "utf8");
