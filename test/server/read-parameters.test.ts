import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/errors/fail.ts";
import { parameterReader } from "../../src/server/read-parameters.ts";

const read = parameterReader(
  {
    path: "/v1/things/{id}/parts/{part}",
    parameters: [
      { name: "id", in: "path", required: true, type: "string" },
      { name: "part", in: "path", required: true, type: "integer" },
      { name: "limit", in: "query", required: false, type: "integer" },
      { name: "price", in: "query", required: false, type: "number" },
      { name: "free", in: "query", required: false, type: "boolean" },
      { name: "type", in: "query", required: false, type: "array" },
      { name: "q", in: "query", required: false, type: "string" },
      { name: "X-Count", in: "header", required: false, type: "integer" },
    ],
  },
  undefined,
);

const from = (search: string, path = "/v1/things/a/parts/1", headers: Record<string, string> = {}) =>
  read({ path, search, req: { headers } as unknown as IncomingMessage });

function refusal(run: () => unknown): { code: string; param: unknown } {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, param: error.details.param };
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("parameters become values of the contract's types", () => {
  test("a path segment keeps its encoded slash as one value", () => {
    expect(from("", "/v1/things/acme%2Fzap-1/parts/12").path).toEqual({ id: "acme/zap-1", part: 12 });
  });
  test("query values of every type, plus and percent decoded, unknown keys passed over", () => {
    expect(from("limit=5&price=0.25&free=1&type=a,b&q=a+b%20c&beta=true").query).toEqual({
      limit: 5,
      price: 0.25,
      free: true,
      type: ["a", "b"],
      q: "a b c",
    });
  });
  test("a repeated list key means the same as a comma", () => {
    expect(from("type=a&type=b,c").query).toEqual({ type: ["a", "b", "c"] });
  });
  test("header names are compared without case", () => {
    expect(from("", undefined, { "x-count": "3" }).header).toEqual({ "X-Count": 3 });
  });
  test("names of object prototypes are no values", () => {
    expect(from("__proto__=1&constructor=2&limit=3").query).toEqual({ limit: 3 });
  });
});

describe("400 invalid_parameter names the parameter", () => {
  for (const [search, param] of [
    ["limit=1e3", "limit"],
    ["limit=", "limit"],
    ["limit=1.0", "limit"],
    ["limit=0x10", "limit"],
    ["limit=+5", "limit"],
    ["limit=1&limit=2", "limit"],
    ["price=abc", "price"],
    ["price=Infinity", "price"],
    ["price=1e999", "price"],
    ["free=yes", "free"],
    ["free=TRUE", "free"],
    ["q=%zz", "q"],
    ["q=a%00b", "q"],
    ["type=a,%zz", "type"],
  ] as const) {
    test(`?${search}`, () => expect(refusal(() => from(search))).toEqual({ code: "invalid_parameter", param }));
  }
  test("a path segment that isn't valid percent-encoding", () => {
    expect(refusal(() => from("", "/v1/things/%zz/parts/1"))).toEqual({ code: "invalid_parameter", param: "id" });
  });
  test("a NUL in the path", () => {
    expect(refusal(() => from("", "/v1/things/a%00/parts/1"))).toEqual({ code: "invalid_parameter", param: "id" });
  });
});

test("no query whatever throws anything but a refusal", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("limit", "price", "free", "type", "q", "%", "__proto__"), fc.string())), (pairs) => {
      try {
        from(pairs.map(([name, value]) => `${name}=${value}`).join("&"));
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
    { numRuns: 500 },
  );
});
