// The versions of the clients as they are installed.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function versionOf(name: string): string {
  const path = fileURLToPath(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}
