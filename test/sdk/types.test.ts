// The packed library's types under every strict option: what is documented compiles, and every line that says it must not, doesn't.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addNodeTypes, emptyProject, type Project, root } from "./packed.ts";
import { drawn } from "../support/size.ts";

const folder = join(root, "test/sdk/types");
const programs = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const mark = "// @ts-expect-error";
const compilers = { native: "node_modules/typescript-native/bin/tsc", javascript: "node_modules/typescript/lib/tsc.js" };

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  skipLibCheck: false,
  noEmit: true,
  allowImportingTsExtensions: true,
  target: "esnext",
};
const browser = { lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"], types: [] };
const node = { lib: ["esnext"], types: ["node"] };
const nodenext = { module: "nodenext", moduleResolution: "nodenext" };
const bundler = { module: "esnext", moduleResolution: "bundler" };

let project: Project;
beforeAll(async () => {
  project = await emptyProject();
  addNodeTypes(project);
});
afterAll(() => rmSync(project.folder, { recursive: true, force: true }));

/** What the compiler prints about the programs, without the continuations of a message. */
function compile(compiler: keyof typeof compilers, options: object, texts: readonly { name: string; text: string }[]): string[] {
  project.write(Object.fromEntries(texts.map(({ name, text }) => [name, text])));
  project.write({ "tsconfig.json": JSON.stringify({ compilerOptions: { ...strict, ...options }, include: ["*.ts"] }) });
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, compilers[compiler]), "-p", project.folder], {
    cwd: project.folder,
    encoding: "utf8",
  });
  return `${stdout}${stderr}`.split("\n").filter((line) => line !== "" && !line.startsWith(" "));
}

describe("the programs compile", () => {
  test.each(
    drawn([
      ["for browsers and bundlers", "native", { ...browser, ...bundler }],
      ["for browsers, as Node resolves", "native", { ...browser, ...nodenext }],
      ["for Node, without the browser's types", "native", { ...node, ...nodenext }],
      ["by TypeScript 5", "javascript", { ...browser, ...nodenext }],
    ] as const),
  )("%s", (_title, compiler, options) => {
    expect(compile(compiler, options, programs)).toEqual([]);
  });
});

test("each line that must not compile is an error, and there is no other", () => {
  const unmarked = programs.map(({ name, text }) => ({ name, text: text.replaceAll(mark, "//") }));
  const found = compile("native", { ...browser, ...nodenext }, unmarked).map(
    (line) => /^(.+\.ts)\((\d+),/.exec(line)?.slice(1).join(":") ?? line,
  );
  const promised = programs.flatMap(({ name, text }) =>
    text.split("\n").flatMap((line, at) => (line.trimStart().startsWith(mark) ? [`${name}:${at + 2}`] : [])),
  );
  expect(promised.length).toBeGreaterThan(35);
  expect([...new Set(found)].sort()).toEqual(promised.sort());
});
