// Turning error sets and codes into responses, on a document of two operations: what it refuses and what it writes.
import { describe, expect, test } from "vitest";
import type { Catalogue, Row } from "../../spec/generate/catalogue.ts";
import type { Document } from "../../spec/generate/document.ts";
import { expandErrors } from "../../spec/generate/expand-errors.ts";

const row = (status: number, more: Partial<Row> = {}): Row => ({
  status,
  type: "invalid_request_error",
  retryable: false,
  message: "{param} is wrong[: {limit}].",
  happened: "It happened.",
  fix: "Fix it.",
  ...more,
});

const catalogue = (): Catalogue => ({
  rows: {
    invalid_parameter: row(400),
    request_rejected: row(400, { statuses: [400, 422] }),
    csrf_failed: row(403, { bare: true }),
    rate_limit_exceeded: row(429, { retryable: true, retryAfterSec: 60 }),
    internal_error: row(500),
    upload_timeout: row(408, { reserved: true }),
  },
  sets: { common: ["invalid_parameter", "rate_limit_exceeded"] },
  dialects: {
    standard: { envelope: "standard", codes: {}, types: {}, statuses: {} },
    old: { envelope: "bare", codes: { invalid_parameter: "invalid_request" }, types: {}, statuses: { invalid_parameter: 422 } },
  },
});

const documentWith = (first: Record<string, unknown>, second: Record<string, unknown> = {}): Document => ({
  openapi: "3.2.0",
  tags: [],
  paths: {
    "/a": { post: { operationId: "first", responses: {}, ...first } },
    "/b": {
      get: { operationId: "second", responses: {}, "x-error-codes": ["request_rejected", "csrf_failed"], ...second },
    },
  },
  components: { schemas: {} },
});

const both = { "x-error-sets": ["common"] };

describe("expanding errors", () => {
  test("a set, own codes and internal_error become one response per status, the extensions are gone", () => {
    const document = documentWith(both);
    const operations = expandErrors(document, catalogue());
    expect(operations.map(({ errors }) => errors)).toEqual([
      ["invalid_parameter", "rate_limit_exceeded", "internal_error"],
      ["request_rejected", "csrf_failed", "internal_error"],
    ]);
    const first = document.paths["/a"]!.post!;
    expect(Object.keys(first.responses)).toEqual(["400", "429", "500"]);
    expect(first["x-error-sets"]).toBeUndefined();
  });

  test("a row with several statuses stands under each of them", () => {
    const document = documentWith(both);
    expandErrors(document, catalogue());
    expect(Object.keys(document.paths["/b"]!.get!.responses)).toEqual(["400", "403", "422", "500"]);
  });

  test("an operation may answer a code with statuses of its own", () => {
    const document = documentWith(both, { "x-error-statuses": { request_rejected: [400] } });
    const [first, second] = expandErrors(document, catalogue());
    expect(Object.keys(document.paths["/b"]!.get!.responses)).toEqual(["400", "403", "500"]);
    expect([first!.statuses, second!.statuses]).toEqual([{}, { request_rejected: [400] }]);
    expect(document.paths["/b"]!.get!["x-error-statuses"]).toBeUndefined();
  });

  test("an operation may name near models beside a code, in a schema of its own", () => {
    const document = documentWith({ ...both, "x-error-suggests": ["invalid_parameter"] });
    document.components.schemas["ModelSuggestions"] = { properties: { did_you_mean: { type: "string" } } };
    expandErrors(document, catalogue());
    const { properties } = document.components.schemas["FirstError400"] as { properties: object };
    expect(Object.keys(properties)).toEqual(["error", "did_you_mean"]);
  });

  test("a dialect renames codes and moves statuses", () => {
    const document = documentWith({ ...both, "x-error-dialect": "old" });
    expandErrors(document, catalogue());
    expect(Object.keys(document.paths["/a"]!.post!.responses)).toEqual(["422", "429", "500"]);
    const { properties } = document.components.schemas["BareError422InvalidRequest"] as { properties: { error: { properties: unknown } } };
    expect(properties.error.properties).toMatchObject({ type: { enum: ["invalid_request"] } });
    expect(properties.error.properties).not.toHaveProperty("code");
  });

  test("a bare code has neither retryable nor x-should-retry", () => {
    const document = documentWith(both);
    expandErrors(document, catalogue());
    expect(document.paths["/b"]!.get!.responses["403"]!.headers).not.toHaveProperty("x-should-retry");
    expect(JSON.stringify(document.components.schemas["Error403CsrfFailed"])).not.toContain("retryable");
  });

  test.each([
    ["a code without a row", { ...both, "x-error-codes": ["no_such_code"] }, {}, /first: the catalogue has no code no_such_code/],
    ["a set that does not exist", { "x-error-sets": ["commmon"] }, {}, /first: there is no error set commmon/],
    ["a dialect that does not exist", { ...both, "x-error-dialect": "klingon" }, {}, /first: there is no error dialect klingon/],
    [
      "a status for a code that the operation never answers",
      { ...both, "x-error-statuses": { csrf_failed: [400] } },
      {},
      /first: x-error-statuses .* csrf_failed/,
    ],
    ["a row that no operation declares", both, { "x-error-codes": ["request_rejected"] }, /no operation declares: csrf_failed/],
  ])("%s fails the build", (_what, first, second, message) => {
    expect(() => expandErrors(documentWith(first, second), catalogue())).toThrow(message);
  });
});
