// The samples on the pages of operations are programs: TypeScript that compiles against svc-sdk, calls that Python's clients take, shell
// that parses.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { type OpenApi, operationsOf } from "../../src/docs/contract.ts";
import { samplesOf } from "../../src/docs/samples.ts";
import { interpreter } from "../clients/python/environment.ts";
import { describeWithPython } from "../clients/python/python.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const document = JSON.parse(readFileSync(join(root, "generated/openapi.json"), "utf8")) as OpenApi;
const samples = operationsOf(document).flatMap((operation) =>
  [null, "https://gw.example"].flatMap((publicUrl) =>
    samplesOf(operation, { publicUrl, auth: operations[operation.id as keyof typeof operations].auth }).map((sample) => ({
      ...sample,
      name: `${operation.id}${publicUrl === null ? "" : "-with-address"}`,
    })),
  ),
);
const of = (language: string) => samples.filter((sample) => sample.language === language);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-samples-"));
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  symlinkSync(join(root, "generated/sdk"), join(folder, "node_modules/svc-sdk"));
  symlinkSync(join(root, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
  symlinkSync(join(root, "node_modules/undici-types"), join(folder, "node_modules/undici-types"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("TypeScript: every one compiles against svc-sdk", () => {
  expect(of("ts").length).toBeGreaterThan(80);
  for (const { name, code } of of("ts")) writeFileSync(join(folder, `${name}.ts`), code);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "esnext",
    module: "nodenext",
    lib: ["esnext"],
    types: ["node"],
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  let output = "";
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript-native/bin/tsc"), "-p", folder], {
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    output = (error as { stdout: string }).stdout;
  }
  expect(output).toBe("");
});

test("shell: every one parses, and names the method and path that it is about", () => {
  expect(of("sh")).toHaveLength(2 * Object.keys(operations).length);
  const script = of("sh").map(({ code }) => code);
  execFileSync("bash", ["-n"], { input: script.join("\n\n") });
  for (const { name, code } of of("sh")) {
    const { method, auth } = operations[name.split("-")[0] as keyof typeof operations];
    expect([name, /-X (\w+)/.exec(code)?.[1] ?? (/ -d | -F /.test(code) ? "POST" : "GET")]).toEqual([name, method.toUpperCase()]);
    expect([name, code.includes("Authorization: Bearer")]).toEqual([name, auth !== "none"]);
  }
});

/** Each call gets what the client's own method takes, and all that it insists on. */
const bindCalls = `
import ast, inspect, json, os, sys
os.environ.update(SVC_URL="http://127.0.0.1:1", SVC_KEY="svc_x")
for code in json.load(sys.stdin):
    tree = ast.parse(code)
    at = next(n for n, one in enumerate(tree.body) if isinstance(one, ast.Assign) and one.targets[0].id == "result")
    call = tree.body[at].value
    names = {}
    exec(compile(ast.Module(tree.body[:at], []), "sample", "exec"), names)
    method = eval(compile(ast.Expression(call.func), "sample", "eval"), names)
    inspect.signature(method).bind(**{word.arg: None for word in call.keywords})
`;

describeWithPython("Python", () => {
  test("every call fits the method of the client that it uses", () => {
    expect(of("python").length).toBeGreaterThan(8);
    execFileSync(interpreter, ["-c", bindCalls], { input: JSON.stringify(of("python").map(({ code }) => code)), stdio: "pipe" });
  });
});
