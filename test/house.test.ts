// The style guide, as a test: who may import whom, how long a file may be, what may be called where (README "The house").
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

const leaves = [
  "money",
  "usage",
  "clock",
  "counted-text",
  "transfer-garbage",
  "fail",
  "error-text",
  "error-facts",
  "ids",
  "likeness",
  "away",
  "stopping",
  "voice-id",
  "addresses",
  "email-address",
  "network-address",
  "public-host",
  "source-address",
  "within",
  "json",
  "slots",
  "shares",
  "telemetry",
];
const domain = ["catalog", "pricing", "ledger", "accounts", "limits"];

/** What a room may import at run time, beside itself, generated/ and packages. Types may come from anywhere. */
const mayImport: Record<string, readonly string[]> = {
  ...Object.fromEntries(leaves.map((leaf) => [leaf, []])),
  slots: ["shares"],
  "public-host": ["network-address"],
  "source-address": ["fail", "network-address", "public-host"],
  config: ["email-address", "money"],
  context: [],
  sound: leaves,
  providers: ["sound", ...leaves],
  db: leaves,
  simulator: ["json"],
  pricing: leaves,
  catalog: leaves,
  ledger: ["db", ...leaves],
  accounts: ["db", ...leaves],
  limits: ["catalog", "db", ...leaves],
  mail: leaves,
  identity: leaves,
  routing: ["catalog", "providers", ...leaves],
  media: ["providers", "sound", ...leaves],
  admission: [...domain, ...leaves],
  language: ["admission", ...domain, "routing", "providers", ...leaves],
  jobs: ["admission", ...domain, "routing", "providers", "media", "db", ...leaves],
  audio: ["admission", ...domain, "routing", "providers", "media", "sound", "db", ...leaves],
  "sign-in": [...domain, "db", "mail", ...leaves],
  payments: [...domain, "db", ...leaves],
  handlers: ["language", "jobs", "audio", "sign-in", "payments", ...domain, "db", ...leaves],
  docs: ["catalog", ...leaves],
  server: ["accounts", "limits", "docs", ...leaves],
};

/** The composition roots: main, start, the command line and what only they use. */
const roots = ["main", "start", "workers", "demo-account", "cli"];

test("imports point down", () => {
  const offenders = files.flatMap((file) => {
    const room = roomOf(file);
    if (roots.includes(room)) return [];
    const allowed = mayImport[room];
    if (allowed === undefined) return [`${file}: ${room} stands in no layer`];
    return importsOf(file)
      .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(offenders).toEqual([]);
});

/** What a file imports at run time of ours, generated/ left out. */
function importsOf(file: string): string[] {
  return [...source(file).matchAll(/^(?:import|export) (?!type\b)(?:[^;"]*? from )?"(\.[^"]+)"/gm)]
    .filter(([text]) => !onlyTypes(text))
    .map(([, path]) => normalize(join(dirname(file), path as string)))
    .filter((target) => !target.startsWith("generated/"));
}

/** `import { type A, type B } from` brings nothing at run time. */
function onlyTypes(statement: string): boolean {
  const names = /\{([^}]*)\}/s.exec(statement)?.[1];
  return names !== undefined && names.split(",").every((name) => name.trim() === "" || name.trim().startsWith("type "));
}

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
    expect(callers).toEqual(["src/json.ts", "src/providers/exact-numbers.ts"]);
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
