// Every sample of every guide, run as it stands and in its order against a gateway that is started as a reader starts it: with its
// embedded database, its simulator and its demo key.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithPython } from "../clients/python/python.ts";
import { runEnvironment } from "../support/leftovers.ts";
import { type SpawnedGateway, spawnGateway } from "../support/spawned-gateway.ts";
import { type Block, blocksIn, guideNames, runBlocksOf } from "./guide-blocks.ts";
import "../support/packages.ts"; // its samples import published clients
import { hasCurl } from "./guide-shell.ts";
import { readme } from "./known-names.ts";
import { makeReaderFolder } from "./reader-folder.ts";
import { openRunner, type Runner } from "./run-block.ts";
import { drawn } from "../support/size.ts";

const folder = makeReaderFolder();
let gateway: SpawnedGateway;
let environment: Record<string, string>;
beforeAll(async () => {
  const dataFolder = `${folder.path}/.svc`;
  gateway = await spawnGateway({ SVC_DATA_DIR: dataFolder });
  const key = /^Demo key .*: (svc_\w+)$/m.exec(gateway.output())![1]!;
  environment = { ...runEnvironment(), HOME: process.env.HOME!, SVC_URL: gateway.url, SVC_KEY: key, SVC_DATA_DIR: dataFolder };
});
afterAll(async () => {
  await gateway.kill("SIGTERM");
  folder.remove();
});

test("README's first call is answered", async () => {
  const [block] = blocksIn(readme, "README").filter(({ language }) => language === "ts");
  const code = block!.code.replace("http://127.0.0.1:8787", gateway.url);
  const runner = openRunner({ folder: folder.path, environment, gatewayOutput: () => gateway.output() });
  expect(await runner.run({ ...block!, code })).toMatch(/You said: "Hello!".*cost: 0\.0/s);
});

describe.each(guideNames)("%s", (guide) => {
  const blocks = runBlocksOf(guide);
  let runner: Runner;
  beforeAll(() => {
    runner = openRunner({ folder: folder.path, environment, gatewayOutput: () => gateway.output() });
  });
  afterAll(() => runner.close());

  const inLanguage = (language: string) => blocks.filter((block) => block.language === language);
  /** A process each, which loads a client, or a framework for seconds. */
  const drawnIn = (language: string) => drawn(inLanguage(language), 4);
  const runs = async (block: Block) => {
    const printed = (await runner.run(block)).trimEnd();
    expect(printed).toMatch(block.prints!);
    if (block.answer !== null) expect(JSON.parse(printed)).toMatchObject(shapeOf(JSON.parse(block.answer)));
  };
  const titled = (chosen: readonly Block[]) => chosen.map((block) => [`${block.line}, ${block.heading}`, block] as const);

  test("each sample says what it prints", () => {
    expect(blocks.filter(({ prints }) => prints === null).map(({ line }) => line)).toEqual([]);
  });
  if (inLanguage("sh").length > 0) {
    describe.skipIf(!hasCurl)("sh", () => {
      test.each(titled(inLanguage("sh")))("%s", (_title, block) => runs(block));
    });
  }
  if (inLanguage("ts").length > 0) {
    describe("ts", () => {
      test.each(titled(drawnIn("ts")))("%s", (_title, block) => runs(block));
    });
  }
  if (inLanguage("python").length > 0) {
    describeWithPython("python", () => {
      test.each(titled(drawnIn("python")))("%s", (_title, block) => runs(block));
    });
  }
});

/** What a guide shows of an answer: texts with … stand for any that is so elsewhere, as does … at the end of a list. */
function shapeOf(shown: any): any {
  if (typeof shown === "string" && shown.includes("…")) {
    const parts = shown.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return expect.stringMatching(new RegExp(`^${parts.join(".*")}$`, "s"));
  }
  if (Array.isArray(shown)) return shown.at(-1) === "…" ? expect.arrayContaining(shown.slice(0, -1).map(shapeOf)) : shown.map(shapeOf);
  if (typeof shown !== "object" || shown === null) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, shapeOf(value)]));
}
