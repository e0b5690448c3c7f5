// What the generator makes of the emitted document: which schemas are published, and unions that take unknown kinds.
import { describe, expect, test } from "vitest";
import { toVersion32 } from "../../src/docs/contract.ts";
import type { Document } from "../../spec/generate/document.ts";
import { normalise, toVersion31, withoutCatalogFile } from "../../spec/generate/normalise.ts";

const at = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const block = (type: object) => ({ type: "object", properties: { type }, required: ["type"] });

const documentWith = (schemas: Document["components"]["schemas"], used: string): Document => ({
  openapi: "3.2.0",
  tags: [],
  paths: {
    "/a": {
      post: {
        operationId: "first",
        requestBody: { content: { "application/json": { schema: at(used) } } },
        responses: {},
      },
    },
  },
  components: { schemas: { ...schemas, UnknownPathBody: at("ErrorObject"), ErrorObject: {} } },
});

const names = ({ components }: Document) => Object.keys(components.schemas);

describe("the schemas of the published document", () => {
  const schemas = () => ({
    Used: { properties: { tier: at("Shared") } },
    Shared: {},
    CatalogFile: { properties: { tiers: at("Shared"), models: at("Own") } },
    Own: { properties: { children: { items: at("Own") } } },
    Dead: { properties: { other: at("DeadToo") } },
    DeadToo: { properties: { other: at("Dead") } },
  });
  const rest = ["UnknownPathBody", "ErrorObject"];

  test("are those that something leads to, circles among the dead ones or not", () => {
    const document = documentWith(schemas(), "Used");
    normalise(document);
    expect(names(document)).toEqual(["Used", "Shared", "CatalogFile", "Own", ...rest]);
  });

  test("leave out the catalog file and what only it uses, without touching the whole", () => {
    const document = documentWith(schemas(), "Used");
    normalise(document);
    expect(names(withoutCatalogFile(document))).toEqual(["Used", "Shared", ...rest]);
    expect(names(document)).toContain("CatalogFile");
  });
});

test("tags stand in the order of the spec, which the compiler hands over last first", () => {
  const document = documentWith({}, "ErrorObject");
  document.tags.push({ name: "Account" }, { name: "Language" });
  normalise(document);
  expect(document.tags.map(({ name }) => name)).toEqual(["Language", "Account"]);
});

describe("a union with a default branch", () => {
  const union = () => ({
    Block: {
      type: "object",
      oneOf: [at("Text"), at("Other")],
      discriminator: { propertyName: "type", mapping: { text: at("Text").$ref }, defaultMapping: at("Other").$ref },
    },
    Text: block({ const: "text" }),
    Other: block({ type: "string" }),
  });
  const other = { ...at("Other"), not: { properties: { type: { enum: ["text"] } }, required: ["type"] } };

  test("takes a known kind by its own branch alone", () => {
    const document = documentWith(union(), "Block");
    normalise(document);
    expect(document.components.schemas.Block!.oneOf).toEqual([at("Text"), other]);
  });

  test("has no discriminator in 3.1, which knows no default, and has it again in what is made of that for 3.2", () => {
    const document = documentWith(union(), "Block");
    document.openapi = "3.2.0";
    normalise(document);
    const { Block } = toVersion31(document).components.schemas;
    expect(Block).toEqual({ type: "object", anyOf: [at("Text"), other], "x-discriminator": expect.any(Object) as unknown });
    expect(document.components.schemas.Block).toHaveProperty("discriminator");
    expect(toVersion32(toVersion31(document))).toEqual(document);
  });
});
