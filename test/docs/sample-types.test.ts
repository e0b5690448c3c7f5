// The guides' samples in TypeScript, held against the types of the clients that they import.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { blocksIn, guideNames, runBlocksOf } from "./guide-blocks.ts";
import { readme } from "./known-names.ts";
import { makeReaderFolder } from "./reader-folder.ts";

const compiler = fileURLToPath(new URL("../../node_modules/typescript-native/bin/tsc", import.meta.url));
const folder = makeReaderFolder();
afterAll(() => folder.remove());

// As a new project has them.
const compilerOptions = {
  target: "esnext",
  module: "nodenext",
  moduleDetection: "force",
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
};

function writeSamples(samples: Record<string, string>): string {
  const path = join(folder.path, "samples");
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions, files: Object.keys(samples) }));
  for (const [name, code] of Object.entries(samples)) writeFileSync(join(path, name), code);
  return path;
}

/** What the compiler says; "" where all is well. */
function complaintsOf(samples: Record<string, string>): string {
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, "-p", writeSamples(samples)], { encoding: "utf8" });
  return stdout + stderr;
}

test("every sample compiles", () => {
  const all = [...blocksIn(readme, "README"), ...guideNames.flatMap(runBlocksOf)];
  const blocks = all.filter(({ language }) => language === "ts");
  const samples = Object.fromEntries(blocks.map(({ guide, line, code }) => [`${guide}-${line}.ts`, code]));
  expect(complaintsOf(samples)).toBe("");
  expect(complaintsOf({ "wrong.ts": 'import OpenAI from "openai";\nnew OpenAI({ apiKey: 1 });\n' })).toContain("TS2322");
});
