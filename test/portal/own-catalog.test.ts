// The portal of a gateway with an address and a catalog of its own: nothing on it is of the shipped catalog, what it teaches works, and
// another catalog changes it at once.
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCatalog, readShippedCatalog } from "../../src/catalog/load.ts";
import { blocksIn } from "../docs/guide-blocks.ts";
import { hasCurl } from "../docs/guide-shell.ts";
import { makeReaderFolder } from "../docs/reader-folder.ts";
import { runProcess } from "../docs/run-block.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const address = "https://ai.example.org";
const catalog = `
providers:
  - { id: host, protocol: openai, base_url: "simulator:/openai/v1" }
  - { id: studio, protocol: fal, base_url: "simulator:/fal" }
models:
  - id: acme/talk
    type: language
    supports_tools: true
    pricing: { mode: per-token, input: 3, output: 9 }
    routes: [{ provider: host, model: talk }]
  - id: acme/whisper
    type: language
    pricing: { mode: per-token, input: 0.01, output: 0.02 }
    routes: [{ provider: host, model: whisper }]
  - id: acme/vectors
    type: embedding
    pricing: { mode: per-token, input: 0.02 }
    routes: [{ provider: host, model: vectors }]
  - id: acme/paint
    type: image
    pricing: { mode: per-image, usd_per_image: 0.07 }
    routes: [{ provider: studio, model: paint }]
aliases: { house: acme/talk, image: acme/paint }
`;
const names = ["acme/talk", "acme/whisper", "acme/vectors", "acme/paint", "house", "image"];

const shipped = readShippedCatalog();
const foreign = [...shipped.models.keys()].filter((id) => id.includes("/"));

let gateway: Gateway;
let pages: Map<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ catalog, env: { SVC_PUBLIC_URL: address } });
  const index = await textOf("/llms.txt");
  const linked = [...index.matchAll(/\((https:\/\/[^)\s]+)\)/g)].map(([, link]) => new URL(link!).pathname);
  const errors = [...(await textOf("/docs/errors.md")).matchAll(/\(errors\/(\w+)\.md\)/g)].map(([, code]) => `/docs/errors/${code!}.md`);
  pages = new Map([["/llms.txt", index]]);
  for (const path of ["/docs", "/docs.md", "/docs/api", "/docs/credits.md", ...linked, ...errors]) pages.set(path, await textOf(path));
});
afterAll(() => gateway.stop());

async function textOf(path: string): Promise<string> {
  const reply = await fetch(gateway.url + path, { headers: { accept: "text/html;q=0.9,*/*;q=0.8" } });
  expect([path, reply.status]).toEqual([path, 200]);
  return reply.text();
}

test("every page, twin, llms text and document says this address, and no model of another catalog", () => {
  expect(pages.size).toBeGreaterThan(150);
  const faults = [...pages].flatMap(([path, text]) =>
    [...foreign, "127.0.0.1:8787", "gateway.example", gateway.url].filter((one) => text.includes(one)).map((one) => `${path}: ${one}`),
  );
  expect(faults).toEqual([]);
  for (const path of [
    "/docs",
    "/docs/guides/quick-start.md",
    "/docs/guides/clients.md",
    "/docs/api/createChatCompletion.md",
    "/openapi.json",
  ])
    expect(pages.get(path)).toContain(address);
});

const codeOf = ([path, text]: [string, string]) =>
  path.endsWith(".md")
    ? blocksIn(text.replace(/^(```\w+) .*$/gm, "$1"), path)
        .filter(({ language }) => language !== "text")
        .map((block) => ({ path, code: block.code }))
    : [];

test("every model that a sample sends is one of this catalog; MODEL_ID stands where none of its kind is served", () => {
  // A route of a catalog file names the provider's own model.
  const sent = [...pages]
    .flatMap(codeOf)
    .flatMap((block) =>
      [
        ...block.code.matchAll(
          /(?:(?<!\bprovider: \w+, )\b(?:model|did_you_mean)\\?"?\s*[:=]\s*\\?["']?|\bMODEL=|\b(?:svc|openai|anthropic|cohere)(?:\.\w+)?\(")([\w./-]+)/g,
        ),
      ].map(([, model]) => `${block.path}: ${model!}`),
    );
  expect(sent.length).toBeGreaterThan(60);
  const known = (line: string) => [...names, "MODEL_ID", "svc", "svc/acme/talk", "new", "bst"].includes(line.split(": ")[1]!);
  // What a program says is not a name: `model: svc("…")`, `model=model`, `model = new …`; bst is a mistake that the guide to errors makes,
  // svc/… how opencode names a provider's model.
  const program = /: (?:openai|anthropic|cohere|model|Hello|string|responses|\w*OpenAI\w*)(?:\.\w+)?$/;
  expect([...new Set(sent.filter((line) => !known(line) && !program.test(line)))]).toEqual([]);
});

test("no code says an alias that this catalog lacks, whichever library it calls", () => {
  const lacking = [...shipped.aliases.keys()].filter((alias) => !names.includes(alias)).toSorted((a, b) => b.length - a.length);
  expect(lacking).toEqual(expect.arrayContaining(["best", "cheap", "fast", "embed", "transcribe-quality"]));
  const said = new RegExp(`(?<![\\w-])(?:${lacking.join("|")})(?![\\w-])`);
  // Where these words are not names: fields, functions, paths, values of other fields, a comment.
  const otherwise = [
    ...[/\b(?:code|reason|vision)\\?"?:/g, /\["code"\]/g, /\.code\b/g, /"message": ".*"/g],
    ...[/"param": "(?:code|reason)"/g, /"speed": "fast"/g, /"task": "transcribe"/g, /^ *"vision",?$/g],
    ...[/\b(?:embed|rerank|transcribe)(?:\.create)?\(/g, /^import \{.*\} from "ai";$/g, /\/v1\/rerank\b/g, /# not best:/g],
  ];
  const lines = [...pages].flatMap(codeOf).flatMap(({ path, code }) => code.split("\n").map((line) => ({ path, line })));
  expect(lines.filter(({ line }) => said.test(otherwise.reduce((rest, one) => rest.replace(one, ""), line)))).toEqual([]);
});

test.each([
  ['responses("acme/talk")'],
  ["model_name: acme/talk,"],
  ['.model("acme/talk")'],
  ["_HAIKU_MODEL=acme/whisper "],
  ['"small_model": "svc/acme/whisper"'],
  ['"models": { "acme/talk": {}, "acme/whisper": {} }'],
  ["aider --model openai/acme/talk "],
])("the guide to clients says %s", (said) => {
  expect(pages.get("/docs/guides/clients.md")).toContain(said);
});

test("words of the prose stay as they are", () => {
  expect(pages.get("/docs/guides/batches.md")).toContain("## How fast it is");
  expect(pages.get("/docs/guides/clients.md")).toContain("# not best: to Claude Code that means its own Opus");
});

test("a call in an example was sent by an alias of this catalog", () => {
  expect(pages.get("/docs/api/getReceipt.md")).toContain('"alias": "house"');
});

test("the operator's guide, decisions and other papers of the repository are 404 at every address, for browsers and programs", async () => {
  const papers = globSync("docs/**/*.md", { cwd: root }).map((path) => path.replace(/^docs\/|\.md$/g, ""));
  expect(papers).toEqual(expect.arrayContaining(["architecture", "decisions/README", "behaviour/operation"]));
  const names = papers.flatMap((path) => [path, path.replace(/\/README$/, ""), `guides/${path.split("/").at(-1)!}`]);
  // Customers have guides of these names, which say something else.
  const theirs = (name: string) => ["guides/errors", "guides/limits", "guides/audio", "guides/media-jobs"].includes(name);
  const paths = ["guides/operator", "operator", ...names.filter((name) => !theirs(name))].flatMap((name) => [name, `${name}.md`]);
  const found: string[] = [];
  for (const path of new Set(paths))
    for (const accept of ["text/html", "*/*"]) {
      const { status } = await fetch(`${gateway.url}/docs/${path}`, { headers: { accept } });
      if (status !== 404) found.push(`${path} for ${accept}: ${status}`);
    }
  expect(found).toEqual([]);
  const texts = [...pages, ["/llms-full.txt", await textOf("/llms-full.txt")] as const];
  const leads = texts.filter(([, text]) => /guides\/operator\b|operator\.md|docs\/(?:decisions|behaviour)\b/.test(text));
  expect(leads.map(([path]) => path)).toEqual([]);
  // How to get credit is not said as what the operator types.
  for (const path of ["/docs/credits.md", "/docs/guides/accounts-and-credit.md", "/docs.md"])
    expect(pages.get(path), path).not.toMatch(/\b(?:npx|bin\/)\s?svc\b|`svc [a-z]|\bsvc account\b/);
});

test("an alias of the catalog is taken before an id, and two models stay two", () => {
  expect(pages.get("/docs/guides/media-jobs.md")).toContain('"model":"image","prompt":"A lighthouse at dusk"');
  const quickStart = pages.get("/docs/guides/quick-start.md")!;
  expect(quickStart).toContain('"model":"acme/talk"'); // best
  expect(quickStart).toContain('"model":"acme/whisper"'); // cheap: in the free tier
});

test("what is not served is said where it would be needed", () => {
  expect(pages.get("/docs/api/createVideo.md")).toContain("**Not served here now.**");
  expect(pages.get("/docs/guides/media-jobs.md")).toContain("> Not served here now: video models.");
  expect(pages.get("/docs/guides/media-jobs.md")).not.toContain("image models.");
  expect(pages.get("/docs/api/createImage.md")).not.toContain("Not served here now");
});

test("both OpenAPI documents name this gateway as their server; a model's row in an example is that model's", () => {
  for (const path of ["/openapi.json", "/openapi-3.2.json"]) {
    const document = JSON.parse(pages.get(path)!) as Record<string, any>;
    expect(document["servers"]).toEqual([{ url: address }]);
    const { examples } = document["paths"]["/v1/models"].get.responses["200"].content["application/json"];
    const [example] = Object.values(examples as Record<string, { value: any }>);
    expect(example!.value.data[0]).toMatchObject({ id: "acme/talk", pricing: { input: 3, output: 9 } });
    expect(example!.value.aliases).toEqual({ house: "acme/talk", image: "acme/paint" });
  }
});

describe("the first call", () => {
  const folder = makeReaderFolder();
  afterAll(() => folder.remove());
  const run = async (path: string, language: string) => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    const [block] = blocksIn(pages.get(path)!, path).filter((one) => one.language === language && /chat.completions/.test(one.code));
    const code = block!.code.replaceAll(address, gateway.url);
    const environment = { PATH: process.env.PATH!, HOME: process.env.HOME!, SVC_URL: gateway.url, SVC_KEY: key };
    const [command, args] = language === "sh" ? ["bash", ["-e"]] : [process.execPath, ["--input-type=module-typescript", "-"]];
    return runProcess(command as string, args as string[], code, { folder: folder.path, environment });
  };
  test.skipIf(!hasCurl).each(["/docs.md", "/docs/guides/quick-start.md", "/docs/api/createChatCompletion.md"])("%s: curl", async (path) => {
    expect(JSON.parse(await run(path, "sh"))).toMatchObject({ object: "chat.completion", model: "acme/talk" });
  });
  test.each(["/docs.md", "/docs/guides/quick-start.md"])("%s: TypeScript", async (path) => {
    expect(await run(path, "ts")).toContain('You said: "Hello!"');
  });
});

test("another catalog is on the pages with the next request, and pages that were made are not made again", async () => {
  const before = await fetch(`${gateway.url}/docs.md`);
  const { context } = gateway;
  const former = context.catalog;
  const text = catalog.replaceAll("acme/", "newer/");
  context.catalog = loadCatalog({ text, environment: {}, simulatorUrl: gateway.simulator.url }).catalog;
  try {
    const after = await fetch(`${gateway.url}/docs.md`);
    expect([await before.text(), await after.text()]).toEqual([
      expect.stringContaining('"model": "acme/talk"'),
      expect.stringContaining('"model": "newer/talk"'),
    ]);
    expect(await textOf("/openapi.json")).not.toContain("acme/talk");
    const headers = { "if-none-match": after.headers.get("etag")! };
    expect((await fetch(`${gateway.url}/docs.md`, { headers })).status).toBe(304);
  } finally {
    context.catalog = former;
  }
});
