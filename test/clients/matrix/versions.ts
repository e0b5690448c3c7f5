// The versions of the clients as they are installed.
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { testPackages } from "../../support/packages.ts";

/** Of a package that is not installed: none. */
export function versionIn(modules: string, name: string): string {
  const path = join(modules, name, "package.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version : "";
}

export const versionOf = (name: string): string => versionIn(testPackages, name);

/** Of Python's in a folder; none where it is not there. */
export function versionOfDistribution(folder: string, name: string): string {
  const [path = ""] = globSync(`${name}-*.dist-info`, { cwd: folder });
  return basename(path, ".dist-info").slice(name.length + 1);
}
