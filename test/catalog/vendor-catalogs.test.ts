// The catalogs of real vendors that ship: sound, each model with its vendor's price as cost and a source, and served where a key is set.
import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { vendors } from "../../src/catalog/import/vendors.ts";
import { checkCatalog, loadCatalog, readCatalogFile } from "../../src/catalog/load.ts";
import { catalogOfVendor, catalogSource } from "../../src/catalog/sources.ts";

const names = globSync("catalogs/*.yaml")
  .map((path) => path.slice("catalogs/".length, -".yaml".length))
  .filter((name) => name !== "simulated-clouds");

describe.each(names)("catalogs/%s.yaml", (name) => {
  const text = readFileSync(catalogOfVendor(name), "utf8");
  test("has no fault, and nothing is sold below its cost", () => {
    expect(checkCatalog(text)).toMatchObject({ problems: [], warnings: [] });
  });
  test("says which of its models `best` and `cheap` are", () => {
    const { aliases, models } = readCatalogFile(text, name);
    expect(Object.keys(aliases ?? {}).sort()).toEqual(["best", "cheap"]);
    for (const id of Object.values(aliases!))
      expect(models.find((model) => model.id === id)).toMatchObject({ type: "language", supports_tools: true });
  });
  test("is dated, and each model has a source, a cost and a price above it", () => {
    expect(text).toMatch(/^# Imported by `svc catalog import` on \d{4}-\d{2}-\d{2} from /);
    const { models, providers } = readCatalogFile(text, name);
    expect(providers).toEqual([vendors[name]!.provider]);
    for (const { pricing, routes } of models)
      expect([pricing?.mode, routes?.length, routes?.[0]?.cost]).toEqual([expect.any(String), 1, expect.anything()]);
    const rows = text.split("\n");
    const unsourced = rows.filter((row, at) => row.startsWith("  - id:") && !/^ {2}# .*https:/.test(rows[at - 1]!));
    expect(unsourced).toEqual([]);
  });
});

test("Anthropic's, whose streams show a summary of the thinking that is billed, are read to their end: each of them thinks", () => {
  const { providers, models } = readCatalogFile(readFileSync(catalogOfVendor("anthropic"), "utf8"), "anthropic");
  expect(providers).toMatchObject([{ on_disconnect: "drain" }]);
  expect(models.filter(({ supports_reasoning: thinks }) => thinks !== true)).toEqual([]);
});

test("DeepSeek's are today's, at the price of its dear hours; Together's are models, not prices of a size", () => {
  const modelsOf = (name: string) => readCatalogFile(readFileSync(catalogOfVendor(name), "utf8"), name).models;
  const costs = modelsOf("deepseek").map(({ id, routes }) => [id, routes?.[0]?.cost]);
  expect(Object.fromEntries(costs)).toMatchObject({
    "deepseek/deepseek-v4-pro": { input: 1.32, output: 3.96 },
    "deepseek/deepseek-v4-flash": { input: 0.3, output: 1.2 },
    "deepseek/deepseek-flash": { input: 0.3, output: 1.2 },
  });
  expect(modelsOf("together").filter(({ id }) => /together-ai|\d[bm]-(?:to-)?\d+[bm]$|up-to/.test(id))).toEqual([]);
});

describe("which catalog is served", () => {
  const load = (path: string | null, environment: Record<string, string>) => {
    const source = catalogSource(path, environment);
    return { ...loadCatalog({ ...source, environment, simulatorUrl: "http://127.0.0.1:9" }), source };
  };

  test("without a key the shipped one; with keys those vendors' models before it, and `best` is one of theirs", () => {
    expect(load(null, {}).source.vendors).toEqual([]);
    const { catalog, source } = load(null, { OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2", GROQ_API_KEY: " " });
    expect(source.vendors).toEqual(["openai", "anthropic"]);
    const ids = [...catalog.models.keys()];
    expect([ids[0]!.split("/")[0], ids.includes("anthropic/claude-opus-5-5"), ids.includes("north/chat-large")]).toEqual([
      "openai",
      true,
      true,
    ]);
    expect(catalog.aliases.get("best")).toBe("openai/gpt-6.1-sol");
    expect(catalog.providers.get("openai")).toMatchObject({ apiKey: "sk-1", baseUrl: "https://api.openai.com/v1" });
  });

  test("the clouds' where their keys are set, but for one whose address only the operator knows; an access key of AWS may be for files alone", () => {
    const keys = { GEMINI_API_KEY: "g", COHERE_API_KEY: "c", AWS_BEARER_TOKEN_BEDROCK: "b", AZURE_OPENAI_API_KEY: "a" };
    const { catalog, source } = load(null, keys);
    expect(source.vendors).toEqual(["google", "cohere", "aws"]);
    const [route] = catalog.models.get("aws/anthropic.claude-opus-5-5")!.routes;
    expect(route).toMatchObject({
      model: "us.anthropic.claude-opus-5-5",
      thinking: "adaptive",
      provider: { protocol: "bedrock", apiKey: "b" },
    });
    expect(load(null, { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "secret" }).source.vendors).toEqual([]);
  });

  test("SVC_CATALOG alone decides where it is set; several files with commas are one catalog, each with its own mark-up", () => {
    const [one, two] = [catalogOfVendor("openai"), catalogOfVendor("mistral")];
    expect(load(one, { MISTRAL_API_KEY: "k" }).catalog.models.has("mistral/mistral-large-4")).toBe(false);
    const { catalog } = load(`${one}, ${two}`, {});
    expect([...new Set([...catalog.models.keys()].map((id) => id.split("/")[0]))]).toEqual(["openai", "mistral"]);
  });

  test("a fault names its own file", () => {
    expect(() => catalogSource(`${catalogOfVendor("openai")},package.json`, {})).toThrow(/package\.json:\d+: /);
  });
});
