// The style guide, as a test: who may import whom, how long a file may be, what may be called where (CONTRIBUTING "The house").
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = globSync(["src/**/*.ts", "handlers/*.ts"], { cwd: root }).sort();
const source = (file: string) => readFileSync(join(root, file), "utf8");
/** Without comments that stand alone. */
const code = (file: string) => source(file).replace(/^\s*(\/\/|\/?\*).*$/gm, "");

/** The room a file stands in; leaves and roots are their own file. */
function roomOf(file: string): string {
  const [top, second] = file.split("/") as [string, string];
  if (top !== "src") return top;
  return file.split("/").length > 2 ? second : second.replace(/\.ts$/, "");
}

/** What owns one plain thing and knows nothing of the gateway. */
const leaves = [
  "clock",
  "concurrency",
  "config",
  "errors",
  "ids",
  "json",
  "money",
  "network",
  "text",
  "tracing",
  "transfer-garbage",
  "usage",
];
const domain = ["catalog", "pricing", "ledger", "accounts", "limits"];
const flows = ["admission", "context", "operation", ...domain, "routing", "providers", "tracing", "telemetry"];

/** What a room may import, types included, beside itself, generated/ and packages. */
const mayImport: Record<string, readonly string[]> = {
  ...Object.fromEntries(leaves.map((leaf) => [leaf, []])),
  network: ["errors"],
  config: ["money", "text"],
  tracing: ["config", "usage", "telemetry/plain-metric"],
  sound: leaves,
  db: leaves,
  simulator: ["json"],
  mail: leaves,
  identity: leaves,
  providers: ["sound", ...leaves],
  catalog: ["providers", ...leaves],
  routing: ["catalog", "providers", ...leaves],
  telemetry: ["db", "providers", "routing", ...leaves],
  media: ["providers", "sound", ...leaves],
  pricing: ["catalog", ...leaves],
  ledger: ["db", "pricing", ...leaves],
  accounts: ["db", ...leaves],
  limits: ["accounts", "catalog", "db", "ledger", ...leaves],
  // What is handed down: the types of the things that main.ts builds, be they built from what takes a context.
  context: [...domain, "db", "identity", "mail", "media", "providers", "routing", "telemetry", "jobs/types", "payments/types", ...leaves],
  operation: ["accounts", "context", "providers", ...leaves],
  admission: [...domain, "context", ...leaves],
  language: [...flows, ...leaves],
  jobs: [...flows, "media", "db", ...leaves],
  audio: [...flows, "media", "sound", "db", ...leaves],
  "sign-in": [...domain, "context", "db", "identity", "mail", ...leaves],
  payments: [...domain, "context", "db", ...leaves],
  handlers: ["language", "jobs", "audio", "sign-in", "payments", "context", "operation", ...domain, "db", ...leaves],
  docs: ["catalog", ...leaves],
  server: ["accounts", "catalog", "context", "db", "docs", "limits", "operation", "providers", "telemetry", ...leaves],
};

/** The composition roots: main, start, the command line and what only they use. */
const roots = ["main", "start", "cli"];

test("imports point down", () => {
  const offenders = files.flatMap((file) => {
    const room = roomOf(file);
    if (roots.includes(room)) return [];
    const allowed = mayImport[room];
    if (allowed === undefined) return [`${file}: ${room} stands in no layer`];
    return importsOf(file)
      .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)) && !allowed.includes(plain(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(offenders).toEqual([]);
});

/** `src/jobs/types.ts` as `jobs/types`. */
const plain = (file: string) => file.replace(/^src\//, "").replace(/\.ts$/, "");

/** What a file imports of ours, types too, generated/ left out. */
function importsOf(file: string): string[] {
  return [...source(file).matchAll(/^(?:import|export) (?:[^;"]*? from )?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm)]
    .map(([, path, lazy]) => normalize(join(dirname(file), (path ?? lazy) as string)))
    .filter((target) => !target.startsWith("generated/"));
}

test("no imports run in a circle, be they only of types", () => {
  const open = new Map(files.map((file) => [file, importsOf(file).filter((target) => target !== file)]));
  // Takes away what imports nothing that is left, until nothing can be: what stays is a circle, or imports one.
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const [file, targets] of open) if (!targets.some((target) => open.has(target))) open.delete(file);
  }
  expect([...open.keys()]).toEqual([]);
});

describe("sizes", () => {
  const long = (file: string) => source(file).split("\n").length > 301;
  test("no file has more than 300 lines", () => {
    const all = [...files, ...globSync(["spec/**/*.{ts,tsp}", "test/**/*.ts"], { cwd: root, exclude: ["**/node_modules/**"] })];
    expect(all.filter(long)).toEqual([]);
  });
  test("each file opens with a comment that says what it owns", () => {
    expect(files.filter((file) => !/^\/\/ \S/.test(source(file)))).toEqual([]);
  });
});

describe("calls", () => {
  const only = (pattern: RegExp, where: readonly string[]) =>
    files.filter((file) => pattern.test(source(file)) && !where.some((prefix) => file.startsWith(prefix)));
  test("process.env is read by config.ts, the starting command and the static build alone; samples show it", () => {
    const samples = ["src/docs/samples.ts", "src/docs/landing-page.ts"];
    expect(only(/process\.env\b/, ["src/config.ts", "src/cli/", "src/docs/build.ts", ...samples])).toEqual([]);
  });
  test("fetch is not called: it costs ten times undici's dispatch", () => {
    expect(only(/(?<![\w.])fetch\(/, [])).toEqual([]);
  });
  test("JSON.parse is called by the two readers that know what V8 misreads, also in the SDK", () => {
    const sdk = globSync("spec/sdk/*.ts", { cwd: root });
    const callers = [...files, ...sdk].filter((file) => /JSON\s*\.\s*parse\b|\bparse\b.*= JSON\b/.test(code(file)));
    expect(callers).toEqual(["src/json/parse.ts", "src/providers/json/exact-numbers.ts"]);
  });
  test("no body is read by json(), which parses as JSON.parse does; a browser's page may", () => {
    const offenders = [...only(/\.json\(\)/, ["src/server/account-pages.ts"]), ...globSync("spec/sdk/*.ts", { cwd: root })];
    expect(offenders.filter((file) => /\.json\(\)/.test(code(file)))).toEqual([]);
  });
  test("Express stays in the server", () => {
    expect(only(/from "express"/, ["src/server/"])).toEqual([]);
  });
  test("only the edge knows HTTP statuses of errors", () => {
    expect(only(/\.status\(\d/, ["src/server/"])).toEqual([]);
  });
});
