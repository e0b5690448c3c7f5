// The packages of test/package.json: the published clients that the gateway is tried with, and tools that only checks need. They stay out of
// the first install for their size. Tests that need them are skipped, and say so, until `npm run test:install` has put them into test/node_modules.
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const testFolder = join(root, "test");
export const testPackages = join(testFolder, "node_modules");
/** What was installed. A change of the lock file makes it out of date. */
export const stamp = join(testPackages, ".installed");

export function lockHash(): string {
  return createHash("sha256")
    .update(readFileSync(join(testFolder, "package-lock.json")))
    .digest("hex");
}

export function areInstalled(): boolean {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === lockHash();
}

/** Test files that can't run here, relative to the checkout, after a sentence that says so. In CI it is a failure. */
export function testsToSkip(): string[] {
  if (areInstalled()) return [];
  const reason = "the packages of test/package.json are not installed: npm run test:install";
  if (process.env["CI"] === "true") throw new Error(reason);
  const skipped = testsThatNeedThem();
  console.warn(`skipped: ${skipped.length} test files: ${reason}`);
  return skipped;
}

/** Those that import one of the packages or this file, themselves or through a helper. */
export function testsThatNeedThem(): string[] {
  const ours = developmentPackages(root);
  const names = developmentPackages(testFolder).filter((name) => !ours.includes(name));
  const found = new Map<string, boolean>();
  const needs = (file: string): boolean => {
    if (!found.has(file)) {
      found.set(file, false); // an import that leads back here says nothing of its own
      const imports = importsOf(file);
      const files = imports.filter((name) => name.startsWith(".")).map((name) => join(dirname(file), name));
      const helpers = files.filter((path) => path.startsWith("test/") && existsSync(join(root, path)));
      const needed = files.includes("test/support/packages.ts") || names.some((name) => imports.some((one) => isOf(one, name)));
      found.set(file, needed || helpers.some(needs));
    }
    return found.get(file)!;
  };
  return globSync("test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] }).filter(needs);
}

function developmentPackages(folder: string): string[] {
  const { devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { devDependencies: object };
  return Object.keys(devDependencies);
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/\b(?:from|import) "([^"]+)"/g)].map(([, name]) => name!);
}

function isOf(imported: string, name: string): boolean {
  return imported === name || imported.startsWith(`${name}/`);
}
