import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../src/errors/fail.ts";
import { assertBounded, parseBody } from "../../src/server/parse-json.ts";

function refusal(body: string | Buffer, headers: Record<string, string> = {}) {
  try {
    parseBody(Buffer.from(body as string), headers);
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, ...(error.details.param !== undefined && { param: error.details.param }) };
    throw error;
  }
  throw new Error("nothing was refused");
}

function reasonOf(body: string): string {
  try {
    parseBody(Buffer.from(body), {});
  } catch (error) {
    return String((error as ApiError).details.text?.["reason"]);
  }
  throw new Error("nothing was refused");
}

describe("400 invalid_json", () => {
  for (const [title, body, headers] of [
    ["an empty body", "", {}],
    ["a byte order mark and nothing else", Buffer.from([0xef, 0xbb, 0xbf]), {}],
    ["a truncated body", '{"model":"m"', {}],
    ["a word", "hello", {}],
    ["an array", "[]", {}],
    ["a string", '"x"', {}],
    ["a number", "1", {}],
    ["null", "null", {}],
    ["a trailing comma", '{"a":1,}', {}],
    ["a raw NUL in a string", '{"a":"\0"}', {}],
    ["bytes that aren't UTF-8", Buffer.from([0x22, 0xff, 0x22]), {}],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), {}],
    ["200,000 open brackets", "[".repeat(200_000), {}],
    [`201 levels`, `{"a":${"[".repeat(200)}${"]".repeat(200)}}`, {}],
    ["a form", "{}", { "content-type": "application/x-www-form-urlencoded" }],
    ["text/plain", "{}", { "content-type": "text/plain" }],
    ["no type", "{}", { "content-type": "" }],
    ["another charset", "{}", { "content-type": "application/json; charset=latin1" }],
    ["gzip", "{}", { "content-encoding": "gzip" }],
  ] as const) {
    test(title, () => expect(refusal(body as string, headers)).toEqual({ code: "invalid_json" }));
  }
  test.each(['{"a":1,prompt', '{"secret": prompt}', '{"prompt', '{"a":"prompt"', '["prompt"}'])(
    "the sentence repeats nothing of the body: %s",
    (body) => {
      const reason = reasonOf(body);
      expect(reason).toMatch(/position \d+|ends too early/);
      expect(reason).not.toContain("prompt");
    },
  );
});

describe("400 invalid_parameter for a NUL, which no Postgres text can hold", () => {
  test("in a string deep inside, named", () => {
    expect(refusal('{"messages":[{"role":"user","content":"a\\u0000b"}]}')).toEqual({
      code: "invalid_parameter",
      param: "messages[0].content",
    });
  });
  test("but in the fields that only go on to a model", () => {
    const body = '{"messages":[{"content":"a\\u0000b"}],"user":"x"}';
    expect(parseBody(Buffer.from(body), {}, ["messages"]).value).toEqual({ messages: [{ content: "a\0b" }], user: "x" });
    expect(() => parseBody(Buffer.from(body.replace("x", "\\u0000")), {}, ["messages"])).toThrow();
  });
  test("in a key", () => expect(refusal('{"a":{"x\\u0000":1}}')).toEqual({ code: "invalid_parameter", param: "a" }));
  test("an escaped backslash before u0000 is no NUL", () => {
    expect(parseBody(Buffer.from('{"a":"\\\\u0000"}'), {}).value).toEqual({ a: "\\u0000" });
  });
});

describe("accepted", () => {
  test("a byte order mark is dropped, from the bytes too", () => {
    const { bytes, value } = parseBody(Buffer.from("\ufeff{}"), {});
    expect([bytes.toString(), value]).toEqual(["{}", {}]);
  });
  test("content types with parameters or a +json suffix, and none at all", () => {
    for (const type of [
      "application/json",
      "Application/JSON; Charset=UTF-8",
      'application/json;charset="utf-8"',
      "application/vnd.x+json",
    ]) {
      expect(parseBody(Buffer.from("{}"), { "content-type": type }).value).toEqual({});
    }
    expect(parseBody(Buffer.from("{}"), {}).value).toEqual({});
  });
  test("200 levels", () => expect(() => parseBody(Buffer.from(`{"a":${"[".repeat(199)}${"]".repeat(199)}}`), {})).not.toThrow());
});

describe("413 request_too_large: more than 1,000,000 values", () => {
  const holding = (value: string, count: number) => `{"x":[${new Array<string>(count).fill(value).join()}]}`;
  test.each([
    ["objects", holding("{}", 600_000)],
    ["arrays", holding("[]", 600_000)],
    ["numbers", holding("1", 1_000_001)],
    ["fields", `{"a":1${',"a":1'.repeat(1_000_000)}}`],
    ["behind a string that never ends", `{"a":1${",1".repeat(1_000_000)},"b`],
  ])("%s", (_title, body) => {
    expect(refusal(body)).toEqual({ code: "request_too_large" });
    expect(reasonOf(body)).toBe("it has too many values; at most 1,000,000 are allowed");
  });
  test.each([
    ["numbers", holding("1", 999_999)],
    ["what stands in a string is no value", JSON.stringify({ a: '{"\\,['.repeat(500_000) })],
  ])("taken: %s", (_title, body) => expect(() => parseBody(Buffer.from(body), {})).not.toThrow());
});

test("the nesting and the values seen in the text are those of the value, whatever the strings hold", () => {
  const depth = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  /** Objects, arrays and the commas between what they hold. */
  const size = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const held = Object.values(value);
    return held.reduce((sum: number, one) => sum + size(one), 1 + Math.max(0, held.length - 1));
  };
  const refused = (text: string, levels: number, values: number) => {
    try {
      assertBounded(text, { levels, values });
    } catch (error) {
      return (error as ApiError).code;
    }
    return null;
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 7 }), fc.integer({ min: 0, max: 20 }), (value, levels, values) => {
      const text = JSON.stringify(value);
      expect(refused(text, levels, Infinity)).toBe(depth(value) > levels ? "invalid_json" : null);
      expect(refused(text, 1_000, values)).toBe(size(value) > values ? "request_too_large" : null);
    }),
  );
});
