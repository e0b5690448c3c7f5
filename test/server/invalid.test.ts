import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { bodies } from "../../generated/validators.js";
import type { OperationId } from "../../generated/operations.ts";
import { ApiError } from "../../src/errors/fail.ts";
import { failInvalid, pathName } from "../../src/server/invalid.ts";
import type { Finding } from "../../src/server/invalid.ts";

const part = {
  type: "object",
  required: ["type"],
  discriminator: { propertyName: "type" },
  oneOf: [
    { properties: { type: { const: "text" }, text: { type: "string" } }, required: ["type", "text"] },
    { properties: { type: { const: "image" } }, required: ["type"] },
  ],
};
const validate = new Ajv2020({ strict: false, discriminator: true, allErrors: false }).compile({
  type: "object",
  required: ["model"],
  properties: {
    model: { type: "string", minLength: 1 },
    messages: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        required: ["role"],
        properties: {
          role: { enum: ["system", "user"] },
          content: { anyOf: [{ type: "string" }, { type: "array", items: part }, { type: "null" }] },
        },
      },
    },
    tool_choice: { anyOf: [{ enum: ["none", "auto"] }, { type: "object", required: ["type"] }] },
    kind: { anyOf: [{ const: "a" }, { const: "b" }] },
    temperature: { type: "number", minimum: 0, maximum: 2 },
    sealed: { type: "object", properties: { a: {} }, additionalProperties: false },
  },
});

function refusal(value: unknown, validator: { (value: unknown): unknown; errors?: unknown } = validate) {
  expect(validator(value)).toBe(false);
  try {
    return failInvalid(validator.errors as Finding[]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { code: error.code, param: error.details.param, reason: error.details.text?.["reason"] };
  }
}

const invalid = (param: string | null, reason: string) => ({ code: "invalid_parameter", param, reason: `it ${reason}` });
const missing = (param: string) => ({ code: "missing_parameter", param, reason: undefined });

describe("a validator's findings become one refusal that names the field", () => {
  test.each([
    [{}, missing("model")],
    [[], invalid(null, "must be an object")],
    ["x", invalid(null, "must be an object")],
    [{ model: 5 }, invalid("model", "must be a string")],
    [{ model: "" }, invalid("model", "must not be empty")],
    [{ model: "m", messages: [] }, invalid("messages", "must not be empty")],
    [{ model: "m", messages: [{}] }, missing("messages[0].role")],
    [{ model: "m", messages: [{ role: "bot" }] }, invalid("messages[0].role", 'must be "system" or "user"')],
    [{ model: "m", messages: [{ role: "user", content: 5 }] }, invalid("messages[0].content", "must be a string, an array or null")],
    [{ model: "m", messages: [{ role: "user", content: [{ type: "text" }] }] }, missing("messages[0].content[0].text")],
    [{ model: "m", messages: [{ role: "user", content: [{}] }] }, missing("messages[0].content[0].type")],
    [
      { model: "m", messages: [{ role: "user", content: [{ type: "hologram" }] }] },
      // A schema that names no component has no list to show; the field is named anyway.
      invalid("messages[0].content[0].type", "must be of another form"),
    ],
    [{ model: "m", tool_choice: "bogus" }, invalid("tool_choice", 'must be "none", "auto" or an object')],
    [{ model: "m", tool_choice: {} }, missing("tool_choice.type")],
    [{ model: "m", kind: "c" }, invalid("kind", 'must be "a" or "b"')],
    [{ model: "m", temperature: 3 }, invalid("temperature", "must be at most 2")],
    [{ model: "m", sealed: { "we.ird": 1 } }, invalid("sealed.we.ird", "is not a known field")],
  ])("%j", (value, expected) => expect(refusal(value)).toEqual(expected));

  test.each([
    ["verifyAccount", {}, "token"],
    ["verifyAccount", { email: "ada@example.com" }, "code"],
    ["verifyAccount", { code: "493021" }, "email"],
    ["verifyAccount", { code: "493021", more: 1 }, "email"],
    ["signInWithProvider", { state: "s" }, "id_token"],
    ["signInWithProvider", { code: "c" }, "state"],
    ["signInWithProvider", { id_token: "t" }, "state"],
    ["signInWithProvider", { code: "c", redirect_uri: "https://app.example.com" }, "state"],
  ] as [OperationId, object, string][])("of the forms of %s the one that %j fits lacks %s", (id, body, param) => {
    expect(refusal(body, bodies[id])).toEqual(missing(param));
  });

  test.each([
    ["createImage", {}, "invalid_model", "model", "it is missing"],
    ["createImage", { model: 5, prompt: "p" }, "invalid_model", "model", "it must be a string"],
    ["createImage", { model: "m" }, "invalid_prompt", "prompt", "it is missing"],
    ["createImage", { model: "m", prompt: ["p"] }, "invalid_prompt", "prompt", "it must be a string"],
    ["createImage", { model: "m", prompt: "p", n: "2" }, "invalid_parameter", "n", "it must be a number or null"],
    ["createImage", { model: "m", prompt: "" }, "invalid_prompt", "prompt", "it must not be blank"],
    ["createImage", { model: "m", prompt: " \n" }, "invalid_prompt", "prompt", "it must not be blank"],
    ["createMusic", { prompt: "  " }, "invalid_parameter", "prompt", "it must not be blank"],
    ["createSpeech", { input: "" }, "invalid_parameter", "input", "it must not be blank"],
    ["createVideo", {}, "missing_parameter", "model", undefined],
    ["createVideo", { model: "m", prompt: "p", duration_s: "5" }, "invalid_duration", "duration_s", "it must be a number or null"],
    ["createVideo", { model: "m", prompt: "p", duration_s: null }, null, null, null],
  ] as [OperationId, object, string | null, string | null, string | null | undefined][])(
    "a field of %s with a code of its own is refused under it: %j is %s",
    (id, body, code, param, reason) => {
      if (code === null) expect(bodies[id]!(body)).toBe(true);
      else expect(refusal(body, bodies[id])).toEqual({ code, param, reason });
    },
  );

  test("a name made by the caller is cut", () => expect(pathName(["x".repeat(5_000)]).length).toBe(200));
});
