// Packages for development that ship all the same: the build of the console takes them in, or Dockerfile copies a file of them. Read from the
// sources, so that none can be forgotten.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, packageOf } from "../robustness/image-reach.ts";

/** generated/sdk, as vite.config.ts calls it: ours, and without dependencies. */
const sdk = "svc-sdk";

/** Their names. `folder` is a checkout. The build's own settings don't ship. */
export function bundledOf(folder: string): string[] {
  const read = (path: string) => readFileSync(join(folder, path), "utf8");
  const found = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, name]) => name!);
  const sources = globSync("src/console/**/*.{ts,tsx}", { cwd: folder, exclude: ["src/console/vite.config.ts"] });
  const styles = globSync("src/console/**/*.css", { cwd: folder });
  const asked = [
    ...sources.flatMap((path) => importsOf(read(path))),
    ...styles.flatMap((path) => found(/^@import "([^"]+)"/gm, read(path))),
    ...found(/^COPY .* node_modules\/(\S+)$/gm, read("Dockerfile")),
  ];
  return [...new Set(asked.filter((name) => !name.startsWith(".")).map(packageOf))].filter((name) => name !== sdk).sort();
}
