// SVC_CATALOG=catalogs/simulated-clouds.yaml: the big clouds against the simulator with nothing set, by the code that signs and asks for tokens.
// And real vendors whose keys are set: a start that says so, and asks none of them anything.
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/load.ts";
import { spawnGateway, type SpawnedGateway } from "../support/gateway.ts";
import { chat } from "./chat-client.ts";

const path = "catalogs/simulated-clouds.yaml";
let gateway: SpawnedGateway | undefined;
afterEach(async () => void (await gateway?.kill("SIGTERM")));

test("the catalog has no fault", () => {
  expect(checkCatalog(readFileSync(path, "utf8"))).toMatchObject({ problems: [], warnings: [] });
});

describe.each([["1"], ["2"]])("%s workers", (workers) => {
  test("a chat on each cloud is served with no variable but SVC_CATALOG", async () => {
    gateway = await spawnGateway({ SVC_CATALOG: path, SVC_WORKERS: workers, LOG_LEVEL: "warn" });
    const key = /^Demo key .*: (svc_\w+)$/m.exec(gateway.output())![1]!;
    const models = ["azure/chat", "gemini/chat", "vertex/gemini", "vertex/claude", "bedrock/chat"];
    const answers = await Promise.all(models.map((model) => chat({ url: gateway!.url, key, model })));
    expect(answers.map(({ status }, at) => [models[at], status])).toEqual(models.map((model) => [model, 200]));
  });
});

test("a variable that is set stays as it is: a wrong secret is refused by the simulator", async () => {
  gateway = await spawnGateway({ SVC_CATALOG: path, SIMULATOR_AWS_SECRET_ACCESS_KEY: "wrong", LOG_LEVEL: "silent" });
  const key = /^Demo key .*: (svc_\w+)$/m.exec(gateway.output())![1]!;
  expect((await chat({ url: gateway.url, key, model: "bedrock/chat" })).status).not.toBe(200);
  expect((await chat({ url: gateway.url, key, model: "gemini/chat" })).status).toBe(200);
});

test("with keys of two vendors: the start says whose models are served beside the simulator's, and both lists and pages have them", async () => {
  gateway = await spawnGateway({ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2", LOG_LEVEL: "info" });
  expect(gateway.output()).toContain("keys are set for openai, anthropic: real models are served beside the simulator's");
  const listed = (await (await fetch(`${gateway.url}/v1/models`)).json()) as { data: { id: string }[]; aliases: { best: string } };
  const owners = new Set(listed.data.map(({ id }) => id.split("/")[0]));
  expect([...owners]).toEqual(expect.arrayContaining(["openai", "anthropic", "north"]));
  expect(listed.aliases.best).toMatch(/^openai\//);
  const page = await (await fetch(`${gateway.url}/docs/models.md`)).text();
  for (const model of [listed.aliases.best, "anthropic/claude-opus-5-5", "north/chat-large"]) expect(page).toContain(model);
});
