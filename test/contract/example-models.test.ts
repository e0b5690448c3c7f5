// The examples of the contract speak of models that the shipped catalog has: readers copy them, and pages of the portal show them.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { resolveModel } from "../../src/catalog/resolve.ts";
import { type ContractOperation, type Example, allOperations, resolved } from "./read-contract.ts";

const { catalog } = loadCatalog({
  path: fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url)),
  environment: {},
  simulatorUrl: "http://simulator.test",
});
const serves = (name: string) => resolveModel(catalog, name) !== undefined;

const valuesOf = (examples: Record<string, Example> | undefined) => Object.values(examples ?? {}).map((example) => resolved(example).value);

/** What stands under these names anywhere inside. */
const names = ["model", "served_model", "did_you_mean", "suggested_models"];
function modelsIn(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(/"model":"([^"]+)"/g)].map(([, name]) => name!); // a stream's records
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    names.includes(key) ? [inner].flat().filter((name): name is string => typeof name === "string") : modelsIn(inner),
  );
}

const contents = ({ requestBody, responses }: ContractOperation) =>
  [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}));

test("every model that an example names is one of the shipped catalog", () => {
  const found = allOperations().flatMap((operation) =>
    contents(operation)
      .flatMap(({ examples }) => valuesOf(examples).flatMap(modelsIn))
      .map((model) => ({ id: operation.operationId, model })),
  );
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter(({ model }) => !serves(model))).toEqual([]);
});

test("so is every model in a path or a header", () => {
  const path = allOperations()
    .find(({ operationId }) => operationId === "getModel")!
    .parameters.find(({ name }) => name === "id")!;
  const headers = allOperations().flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ headers = {} }) =>
      Object.entries(headers).flatMap(([name, { example }]) =>
        /^x-svc-(model|served-model|alias|fallback)$/i.test(name) && typeof example === "string" && example !== "true" ? [example] : [],
      ),
    ),
  );
  expect(headers.length).toBeGreaterThan(10);
  expect([...(valuesOf(path.examples) as string[]), ...headers].filter((name) => !serves(name))).toEqual([]);
});

test("one invented address stands for the gateway", () => {
  const text = JSON.stringify(allOperations().map((one) => contents(one).map(({ examples }) => valuesOf(examples))));
  const hosts = new Set([...text.matchAll(/https:\/\/(gateway[\w.]*)/g)].map(([, host]) => host));
  expect([...hosts]).toEqual(["gateway.example"]);
});
