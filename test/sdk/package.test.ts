// The packed package in an empty project: what is in it, that it type-checks the way people set TypeScript up, and that every sample of its
// README runs as it stands, against a gateway with the shipped catalog.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import ts from "typescript";
import { otherNode } from "../cli/other-node.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { addNodeTypes, emptyProject, type Project, readme, root, samplesOf } from "./packed.ts";
import { drawn, oneInThree } from "../support/size.ts";

const samples = samplesOf(readme());
let project: Project;
let gateway: Gateway;
let environment: Record<string, string>;
beforeAll(async () => {
  project = await emptyProject();
  addNodeTypes(project);
  project.write(Object.fromEntries(samples.map((code, index) => [`sample-${index}.ts`, code])));
  gateway = await startGateway();
  const { key } = await gateway.createAccount({ deposit: "20" });
  environment = { SVC_URL: gateway.url, SVC_KEY: key };
});
afterAll(async () => {
  await gateway.stop();
  rmSync(project.folder, { recursive: true, force: true });
});

test("holds scripts, types, its README and the changelog of the contract, no sources and no dependencies", () => {
  expect(project.packed).toEqual(
    expect.arrayContaining(["README.md", "index.js", "index.d.ts", "functions.js", "types.d.ts", "package.json"]),
  );
  expect(project.packed.filter((path) => !/^(runtime\/)?[\w-]+\.(js|d\.ts)$/.test(path))).toEqual([
    "CHANGELOG.md",
    "README.md",
    "package.json",
  ]);
  const installed = (name: string) => readFileSync(join(project.folder, "node_modules/svc-sdk", name), "utf8");
  expect(installed("CHANGELOG.md")).toBe(readFileSync(`${root}spec/CHANGELOG.md`, "utf8"));
  expect(JSON.parse(installed("package.json"))).toMatchObject({ publishConfig: { provenance: true } });
});

test("is written for web standards alone: the runtime compiles without Node's types", async () => {
  expect(await project.run(process.execPath, [`${root}node_modules/typescript-native/bin/tsc`, "-p", `${root}src/sdk`])).toBe("");
});

describe("TypeScript, strict and with libraries checked", () => {
  const strict = { target: "es2022", strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
  const ways: Record<string, object> = {
    "nodenext with Node's types": { module: "nodenext", moduleResolution: "nodenext", types: ["node"], lib: ["es2023"] },
    "bundler with the browser's types": {
      module: "esnext",
      moduleResolution: "bundler",
      types: ["node"],
      lib: ["es2023", "dom", "dom.iterable"],
    },
  };
  test.each(drawn(Object.keys(ways)))("%s: the samples compile", async (way) => {
    const compilerOptions = { ...strict, noEmit: true, ...ways[way] };
    project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, include: ["sample-*.ts"] }) });
    const compiler = `${root}node_modules/typescript-native/bin/tsc`;
    expect(await project.run(process.execPath, [compiler, "-p", "tsconfig.json"])).toBe("");
  });

  oneInThree()("without Node's types a page's code compiles", async () => {
    const compilerOptions = { ...strict, module: "esnext", moduleResolution: "bundler", types: [], lib: ["es2023", "dom"], noEmit: true };
    project.write({ "tsconfig.json": JSON.stringify({ compilerOptions, files: ["sample-0.ts", "sample-1.ts"] }) });
    const compiler = `${root}node_modules/typescript/bin/tsc`;
    expect(await project.run(process.execPath, [compiler, "-p", "tsconfig.json"])).toBe("");
  });
});

describe("the README's samples run as they stand", () => {
  /** One line each of what a sample prints, in its order. */
  const printed: RegExp[][] = [
    [/\w+ .* 0\.\d+ USD$/m, /^https?:.* 0\.\d+ USD$/m],
    [/^north\/chat-large req_\w+ [\d.e-]+ [\d.e-]+$/m, /^model_not_found \[/m, /^purchase$/m],
    [/^\S+ pending$/m, /^\S+ succeeded$/m, /^1$/m, /^audio\/mpeg 0\.\d+ USD$/m, /^00:00:00,000 --> /m],
    [/^true 0\.\d+ 0\.\d+$/m, /^0\.\d+$/m],
    [/\w/],
  ];
  test.each(samples.map((_, index) => index))("sample %i", async (index) => {
    const out = await project.run(process.execPath, [`sample-${index}.ts`], environment);
    let at = 0;
    for (const line of printed[index]!) {
      expect(out.slice(at)).toMatch(line);
      at += out.slice(at).search(line) + 1;
    }
  });

  test.runIf(otherNode !== undefined)("on the machine's own Node too, where it is 20 or later", async () => {
    const version = await project.run(otherNode!, ["--version"]);
    expect(Number(/^v(\d+)/.exec(version)![1])).toBeGreaterThanOrEqual(20);
    for (const [index, code] of samples.entries()) {
      project.write({ [`sample-${index}.js`]: ts.transpileModule(code, { compilerOptions: { target: 99, module: 99 } }).outputText });
      expect(await project.run(otherNode!, [`sample-${index}.js`], environment)).toMatch(/\w/);
    }
  });
});
