// The samples on the pages of operations are programs: TypeScript that compiles against svc-sdk, requests that Python sends, shell
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
import { interpreter, pythonSdkTools } from "../clients/python/environment.ts";
import { describeWithPython } from "../clients/python/python.ts";
import { runEnvironment } from "../support/leftovers.ts";

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

interface Sent {
  method: string;
  path: string;
  authorization: string | null;
  body: string;
}

/** Runs samples against a transport that answers everything, and tells what was sent. */
const sendToNobody = `
import contextlib, io, json, os, sys
import httpx
import httpx._transports.default as transports
# Each call makes a client, and each client would read the machine's list of authorities: 60 ms of a processor.
context = httpx.create_ssl_context()
transports.create_ssl_context = lambda **settings: context
os.environ.update(SVC_URL="http://127.0.0.1:1", SVC_KEY="svc_x", SVC_SESSION="svcs_x")
sent = []
def answer(self, request):
    request.read()
    sent.append({"method": request.method, "path": request.url.raw_path.decode().split("?")[0], "authorization": request.headers.get("authorization"), "body": request.content.decode(errors="replace")})
    return httpx.Response(200, json={})
httpx.HTTPTransport.handle_request = answer
for code in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(code, "sample", "exec"), {})
print(json.dumps(sent))
`;

describeWithPython("Python", () => {
  test("every call fits the method of the client that it uses", () => {
    expect(of("python").length).toBeGreaterThan(8);
    const ofClients = of("python").filter(({ code }) => !code.includes("import httpx"));
    expect(ofClients.length).toBeGreaterThan(8);
    execFileSync(interpreter, ["-c", bindCalls], { input: JSON.stringify(ofClients.map(({ code }) => code)), stdio: "pipe" });
  });

  test("every other operation is called with httpx: its method, its path, its credential, its body", () => {
    const others = of("python").filter(({ code }) => code.includes("import httpx"));
    expect(of("python")).toHaveLength(2 * Object.keys(operations).length);
    for (const name of ["meeting.mp3", "narrator.wav", "call.mp3", "rede.mp3", "harbour.png", "requests.jsonl"])
      writeFileSync(join(folder, name), "sound");
    const sent = execFileSync(interpreter, ["-B", "-c", sendToNobody], {
      input: JSON.stringify(others.map(({ code }) => code)),
      env: { ...runEnvironment(), PYTHONPATH: pythonSdkTools, PYTHONWARNINGS: "ignore" },
      cwd: folder,
      encoding: "utf8",
    });
    for (const [at, request] of (JSON.parse(sent) as Sent[]).entries()) {
      const { name, code } = others[at]!;
      const operation = operations[name.split("-")[0] as keyof typeof operations];
      const pattern = new RegExp(`^/?${operation.path.replace(/\{\w+\}/g, "[^/]+")}$`);
      expect([name, request.method, pattern.test(request.path)]).toEqual([name, operation.method.toUpperCase(), true]);
      const credential = operation.auth === "none" ? null : operation.auth === "session" ? "Bearer svcs_x" : "Bearer svc_x";
      expect([name, request.authorization]).toEqual([name, credential]);
      const curl = of("sh").find((one) => one.name === name)!.code;
      const json = / -d '([\s\S]*)'$/.exec(curl.replace(/ \\\n {2}-o \S+$/, ""))?.[1]?.replaceAll("'\\''", "'");
      if (json !== undefined) expect([name, JSON.parse(request.body) as unknown]).toEqual([name, JSON.parse(json) as unknown]);
      expect([name, code.includes("files=")]).toEqual([name, / -F /.test(curl)]);
    }
  });
});
