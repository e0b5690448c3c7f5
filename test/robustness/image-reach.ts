// What a program needs of its folder: from one file on, every file and package that it imports, and every file that it reads beside itself.
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";

/** Types are gone at run time, but `import { type A }` still loads the file. */
const imports = [
  /^(?:import|export)\s+(?!type\b)[^"';]*?\bfrom\s+"([^"]+)"/gm,
  /^import\s+"([^"]+)"/gm,
  /\b(?:import|require)\("([^"]+)"\)/g,
  /\bimport\.meta\.resolve\("([^"]+)"\)/g,
];
const besides = /\bnew URL\(\s*"([^"]+)",\s*import\.meta\.url\s*\)/g;

/** Paths from `folder` that the program asks for and that are not there, each with who asks. Our own files alone are read. */
export function missingFrom(folder: string, entry: string, isThere: (path: string) => boolean): string[] {
  const missing = isThere(entry) ? [] : [entry];
  const seen = new Set([entry]);
  for (const file of seen) {
    if (!isThere(file)) continue;
    if (!/\.(?:ts|js)$/.test(file) || file.startsWith("node_modules/")) continue;
    for (const target of targetsOf(folder, file)) {
      if (!isThere(target)) missing.push(`${target}, of ${file}`);
      seen.add(target);
    }
  }
  return missing;
}

function targetsOf(folder: string, file: string): string[] {
  const text = readFileSync(join(folder, file), "utf8");
  const beside = (name: string) => normalize(join(dirname(file), name)).replace(/\/$/, "");
  return [
    ...importsOf(text).map((name) => (name.startsWith(".") ? beside(name) : `node_modules/${packageOf(name)}/package.json`)),
    ...named(text, besides).map(beside),
  ];
}

/** What a source imports at run time, as it says it, without what is Node's own. */
export function importsOf(text: string): string[] {
  return imports.flatMap((pattern) => named(text, pattern)).filter((name) => !isBuiltin(name));
}

function named(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!);
}

export function packageOf(name: string): string {
  return name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
}
