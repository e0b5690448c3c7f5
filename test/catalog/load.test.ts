// How a catalog file is loaded (docs/behaviour/operation.md#catalog): a wrong one stops the start, addresses and secrets come from where it says, a hostile one costs little.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CatalogFault, checkCatalog, loadCatalog } from "../../src/catalog/load.ts";

/** A file of one provider, one good model, and what a test adds below it. */
const withGood = (...lines: string[]) =>
  [
    "providers: [{ id: north, protocol: openai, base_url: http://127.0.0.1:9001/v1 }]",
    "models:",
    "  - id: good",
    "    type: language",
    "    pricing: { mode: per-token, input: 0.5, output: 1.5 }",
    "    routes: [{ provider: north, model: up }]",
    ...lines,
  ].join("\n");

describe("a hostile file costs little", () => {
  test("anchors that double are refused", () => {
    const bomb = ["a0: &a0 [x, x]", ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)].join("\n");
    expect(checkCatalog(bomb).problems[0]?.message).toMatch(/alias count/);
  });

  test("a file of more than 4 MB is refused unread", () => {
    expect(checkCatalog("#".repeat(4_000_001)).problems).toEqual([
      { line: 1, message: expect.stringMatching(/larger than 4000000 bytes/) as unknown },
    ]);
  });

  test("deep nesting ends in a problem, not in a crash", () => {
    expect(checkCatalog(`${"[".repeat(50_000)}${"]".repeat(50_000)}`).problems.length).toBeGreaterThan(0);
  });
});

describe("loading", () => {
  test("a wrong file stops the start with file, line and reason", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-catalog-"));
    const path = join(folder, "mine.yaml");
    writeFileSync(path, withGood("aliases: { best: gone }"));
    try {
      expect(() => loadCatalog({ path, environment: {} })).toThrow(`${path}:7: aliases.best: there is no model "gone"`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("a file that is not there is named", () => {
    expect(() => loadCatalog({ path: "/nowhere/catalog.yaml", environment: {} })).toThrow(
      /\/nowhere\/catalog\.yaml:1: cannot be read: ENOENT/,
    );
  });

  test("simulator: addresses become the simulator's, and are a fault where none runs", () => {
    const text = withGood().replace("http://127.0.0.1:9001/v1", '"simulator:/openai/v1/"');
    const { catalog } = loadCatalog({ text, environment: {}, simulatorUrl: "http://127.0.0.1:4321/" });
    expect(catalog.providers.get("north")?.baseUrl).toBe("http://127.0.0.1:4321/openai/v1");
    expect(() => loadCatalog({ text, environment: {} })).toThrow(CatalogFault);
    expect(checkCatalog(text).problems).toEqual([]);
  });

  test("secrets come from the variable that is named; a missing one warns and is never printed", () => {
    const text = withGood().replace("base_url", "api_key_env: NORTH_KEY, headers: { x-a: b }, timeout_ms: 5, base_url");
    const loaded = loadCatalog({ text, environment: { NORTH_KEY: " secret-1 " } });
    expect(loaded.catalog.providers.get("north")).toEqual({
      id: "north",
      protocol: "openai",
      baseUrl: "http://127.0.0.1:9001/v1",
      apiKey: "secret-1",
      ...{ headers: { "x-a": "b" }, forward: [], onDisconnect: null },
      timeoutMs: 5,
    });
    expect(loaded.warnings).toEqual([]);
    const keyless = loadCatalog({ text, environment: {} });
    expect(keyless.catalog.providers.get("north")?.apiKey).toBeNull();
    expect(keyless.warnings).toEqual([expect.stringMatching(/"north" .*NORTH_KEY is not set/) as unknown]);
  });
});
