// Peers come from their registries into .bench/, once; what can't be had is left out of the run, and the reason is printed.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LeftOut } from "./types.ts";

export const peersFolder = ".bench";
const timeoutMs = 15 * 60_000;

/** `check`: the file that is there once it is installed. */
export function installPeer(name: string, check: string, install: (folder: string) => void): string {
  const folder = join(process.cwd(), peersFolder, name);
  const program = join(folder, check);
  if (existsSync(program)) return program;
  console.log(`installing ${name} into ${peersFolder}/${name}`);
  mkdirSync(folder, { recursive: true });
  install(folder);
  if (!existsSync(program)) throw new LeftOut(`${name} was installed without ${check}`);
  return program;
}

export function npmInstall(folder: string, packages: string[], overrides: Record<string, string>): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, overrides }));
  run(folder, "npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...packages]);
}

export function run(folder: string, command: string, args: string[]): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", timeout: timeoutMs });
  if (status === 0) return;
  const output = `${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`.trim().split("\n");
  throw new LeftOut(`${command} ${args.join(" ")}: ${output.at(-1) ?? status}`);
}
