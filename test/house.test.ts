// The style guide, as a test: who may import whom, how long a file may be, what may be called where, what texts may cite and which words
// they avoid (CONTRIBUTING.md "The house").
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const files = globSync(["src/**/*.{ts,tsx}", "handlers/*.ts"], { cwd: root }).sort();
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
const flows = ["calls", "context", "operation", ...domain, "routing", "providers", "tracing", "telemetry"];

/** What a room may import, types included, beside itself, generated/ and packages. */
const mayImport: Record<string, readonly string[]> = {
  ...Object.fromEntries(leaves.map((leaf) => [leaf, []])),
  network: ["errors"],
  config: ["money", "text"],
  tracing: ["config", "usage", "telemetry/plain-metric"],
  sound: leaves,
  db: leaves,
  simulator: ["json"],
  // The client: what it shares with the gateway is published with it.
  sdk: ["json"],
  // A page like any other: it knows the gateway by its API alone.
  console: [],
  mail: leaves,
  identity: leaves,
  providers: ["sound", ...leaves],
  catalog: ["db", "providers", ...leaves],
  routing: ["catalog", "pricing", "providers", ...leaves],
  telemetry: ["db", "providers", "routing", ...leaves],
  media: ["providers", "sound", ...leaves],
  pricing: ["catalog", ...leaves],
  ledger: ["db", "pricing", ...leaves],
  accounts: ["db", ...leaves],
  limits: ["accounts", "catalog", "db", "ledger", ...leaves],
  notices: ["accounts", "db", "mail", ...leaves],
  // What is handed down: the types of the things that main.ts builds, be they built from what takes a context.
  context: [
    ...[...domain, "db", "identity", "mail", "media", "providers", "routing", "telemetry"],
    ...["calls/admit", "jobs/types", "operators/changed-settings", "payments/types", ...leaves],
  ],
  operation: ["calls/ask", "context", "providers", ...leaves],
  calls: [...domain, "context", "db", "operation", "providers", "routing", ...leaves],
  language: [...flows, ...leaves],
  jobs: [...flows, "media", "db", ...leaves],
  audio: [...flows, "media", "sound", "db", ...leaves],
  batches: [...flows, "media", "db", ...leaves],
  "sign-in": [...domain, "context", "db", "identity", "mail", "notices", ...leaves],
  payments: [...domain, "context", "db", "notices", ...leaves],
  webhooks: ["accounts", "db", "media", "notices", ...leaves],
  workspaces: [...domain, "context", "db", "mail", ...leaves],
  operators: [...domain, "context", "db", "jobs", "payments", "routing", ...leaves],
  handlers: [
    ...[
      "calls",
      "language",
      "jobs",
      "audio",
      "batches",
      "sign-in",
      "payments",
      "workspaces",
      "operators",
      "notices",
      "webhooks",
      "context",
      "operation",
      "db",
    ],
    ...domain,
    ...leaves,
  ],
  docs: ["catalog", ...leaves],
  server: ["accounts", "calls/ask", "catalog", "context", "db", "docs", "limits", "operation", "providers", "telemetry", ...leaves],
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
    const all = [
      ...files,
      ...globSync(["spec/**/*.{ts,tsp}", "src/console/**/*.css", "test/**/*.ts"], { cwd: root, exclude: ["**/node_modules/**"] }),
    ];
    expect(all.filter(long)).toEqual([]);
  });
  // A file that one neighbour alone imports, and that owns nothing of its own, joins it before this number is raised.
  test("src stays small enough to know: at most 610 files beside the console's", () => {
    expect(globSync("src/**/*.ts", { cwd: root, exclude: ["src/console/**"] }).length).toBeLessThanOrEqual(610);
  });
  test("each file opens with a comment that says what it owns", () => {
    expect(files.filter((file) => !/^\/\/ \S/.test(source(file)))).toEqual([]);
  });
});

describe("calls", () => {
  const only = (pattern: RegExp, where: readonly string[]) =>
    files.filter((file) => pattern.test(source(file)) && !where.some((prefix) => file.startsWith(prefix)));
  test("process.env is read by config.ts, the starting command and the static build alone; samples show it", () => {
    const samples = [
      "src/docs/samples.ts",
      "src/docs/landing-page.ts",
      "src/console/pages/models/samples.tsx",
      "src/console/pages/playground/code.ts",
    ];
    expect(only(/process\.env\b/, ["src/config.ts", "src/cli/", "src/docs/build.ts", ...samples])).toEqual([]);
  });
  test("fetch is not called: it costs ten times undici's dispatch; a browser has nothing else", () => {
    expect(only(/(?<![\w.])fetch\(/, ["src/sdk/", "src/console/lib/"])).toEqual([]);
  });
  test("JSON.parse is called by the two readers that know what V8 misreads, also in the SDK", () => {
    const callers = files.filter((file) => /JSON\s*\.\s*parse\b|\bparse\b.*= JSON\b/.test(code(file)));
    expect(callers).toEqual(["src/json/parse.ts", "src/providers/json/read.ts"]);
  });
  test("no body is read by json(), which parses as JSON.parse does; a browser's page may", () => {
    expect(only(/\.json\(\)/, ["src/server/pages.ts", "src/console/"]).filter((file) => /\.json\(\)/.test(code(file)))).toEqual([]);
  });
  test("Express stays in the server", () => {
    expect(only(/from "express"/, ["src/server/"])).toEqual([]);
  });
  test("only the edge knows HTTP statuses of errors", () => {
    expect(only(/\.status\(\d/, ["src/server/"])).toEqual([]);
  });
});

describe("texts", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).split("\0");
  const known = new Set(tracked);
  /** What people write; the generated files follow their sources, and this file names what it bans. */
  const written = tracked
    .filter((file) =>
      /\.(?:ts|tsx|tsp|js|css|md|sql|ya?ml|toml|ini|conf|py|txt|sh)$|^\.env\.example$|(?:^|\/)Dockerfile$|^\.ci\/run$/.test(file),
    )
    .filter((file) => !file.startsWith("generated/") && file !== "test/house.test.ts");
  /** `line` counts from 1. */
  const linesOf = (file: string) => source(file).split("\n").map((text, index) => ({ text, at: `${file}:${index + 1}` })); // prettier-ignore

  /** Headings' anchors, as GitHub makes them. */
  const anchorsOf = (file: string) =>
    [...source(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
      (heading as string).toLowerCase().replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"),
    ); // prettier-ignore

  /** The tracked file that a mention means: from the root, from beside the file, or by the end of its path. */
  const targetOf = (file: string, mention: string) =>
    [mention, join(dirname(file), mention)].map(normalize).find((path) => known.has(path)) ??
    tracked.find((path) => path.endsWith(`/${mention}`));

  test("no text cites a document or a section that is not in git", () => {
    const offenders = written.flatMap((file) =>
      linesOf(file).flatMap(({ text, at }) =>
        // A mention that begins with a slash is an address of the portal.
        [...text.matchAll(/(?<![\w/.$}-])([\w.][\w./-]*\.md)\b(?:#([\w-]+))?/g)]
          .filter(([, mention, anchor]) => {
            const target = targetOf(file, mention as string);
            return target === undefined || (anchor !== undefined && !anchorsOf(target).includes(anchor));
          })
          .map(([mention]) => `${at} ${mention}`),
      ),
    );
    expect(offenders).toEqual([]);
  });

  test("no text cites the books of before", () => {
    const books = /\b(?:WIRE|TOOLCHAIN|FINDINGS|REDESIGN|(?:PEERS|DATA|PERF|OPERATOR|HOUSE)\.md|gateway-api)\b|cross-cutting rule/;
    expect(written.flatMap(linesOf).filter(({ text }) => books.test(text)).map(({ at }) => at)).toEqual([]); // prettier-ignore
  });

  test("no file, name in the code or alert has a retired word of the glossary (CONTRIBUTING.md)", () => {
    const retired = /^(?:away|clips?|doors?|knobs?|lanes?|standing)$/;
    const hasRetired = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/).some((word) => retired.test(word)); // prettier-ignore
    // Videos that tests send.
    const named = tracked.filter((file) => !/\.(?:mp4|mov|webm)$/.test(file) && hasRetired(file));
    const declared = files.flatMap((file) =>
      [...code(file).matchAll(/\b(?:const|let|function|interface|type|class)\s+\*?(\w+)|[{(,]\s*(\w+)\??:|^\s*(?:readonly )?(\w+)\??:/gm)]
        .map(([, first, second, third]) => (first ?? second ?? third) as string)
        .filter(hasRetired)
        .map((name) => `${file} ${name}`),
    );
    const alerts = [...source("deploy/prometheus/alerts.yaml").matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);
    expect([...named, ...declared, ...alerts.filter(hasRetired)]).toEqual([]);
  });

  /** What a line says to people: all of a document or the contract, the comment of a line of code. */
  function saidIn(file: string, text: string): string {
    if (/\.(?:md|tsp)$/.test(file)) return text.replace(/`[^`]*`|\bNone\b/g, "");
    return /^\s*(?:\/\/|\/?\*|--|#)(.*)|\s(?:\/\/|--) (.*)/.exec(text)?.slice(1).find((part) => part !== undefined) ?? ""; // prettier-ignore
  }

  test("comments and public texts use the glossary's words (CONTRIBUTING.md)", () => {
    const banned =
      /\b(?:the story of|(?<!there )is none|whoever|whyever|have a text spoken|write down a recording|told[- ]stream|clips?|lanes?|(?<!x-sim-)knobs?)\b/i;
    const glossary = "CONTRIBUTING.md"; // names what it retires
    const offenders = written
      .filter((file) => file !== glossary)
      .flatMap((file) => linesOf(file).filter(({ text }) => banned.test(saidIn(file, text))));
    expect(offenders.map(({ at, text }) => `${at} ${banned.exec(text)?.[0] ?? ""}`)).toEqual([]);
  });
});
