// A text that was read before is not parsed again: its faults keep their lines, and each reader gets values of its own.
import { expect, test } from "vitest";
import { checkCatalog, loadCatalog, readCatalogFile } from "../../src/catalog/load.ts";

const catalog = (type: string) => `
providers: [{ id: north, protocol: openai, base_url: http://127.0.0.1:9001/v1 }]
models:
  - id: good
    type: ${type}
    pricing: { mode: per-token, input: 0.5, output: 1.5 }
    routes: [{ provider: north, model: up }]
`;

test("a wrong text that is checked again has the same faults at the same lines", () => {
  const first = checkCatalog(catalog("chat"));
  expect(first.problems).toEqual([{ line: 5, message: expect.stringContaining("models[0].type") as unknown }]);
  expect(checkCatalog(catalog("chat"))).toEqual(first);
});

test("what a reader changes in the values is not there for the next one", () => {
  const text = catalog("language");
  readCatalogFile(text, "a.yaml").models[0]!.id = "changed";
  const again = readCatalogFile(text, "a.yaml");
  expect(again.models[0]!.id).toBe("good");
  again.models.length = 0;
  expect([...loadCatalog({ text, environment: {} }).catalog.models.keys()]).toEqual(["good"]);
});
