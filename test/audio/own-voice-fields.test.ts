// The texts of voices that are made: normalised, counted in time whatever they are.
import { describe, expect, test } from "vitest";
import { readDesign, readVoiceName } from "../../src/audio/make-voice.ts";

test("blanks around a text don't count", () => {
  const blanks = " ".repeat(1_000);
  expect(readVoiceName(`${blanks}e\u0301${blanks}`)).toBe("\u00e9");
  expect(readDesign({ description: `${blanks}${"e\u0301".repeat(1_000)}`, preview_text: blanks })).toEqual({
    description: "\u00e9".repeat(1_000),
    previewText: null,
  });
});

describe("millions of marks in the worst order are never put in order", () => {
  const marks = `a${"\u0301\u0327".repeat(2_000_000)}`;
  test("a name", () => {
    expect(() => readVoiceName(marks)).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
  });
  test("a description", () => {
    expect(() => readDesign({ description: marks })).toThrow(expect.objectContaining({ code: "description_too_long" }));
  });
  test("a text to preview", () => {
    expect(() => readDesign({ description: "a", preview_text: marks })).toThrow(expect.objectContaining({ code: "invalid_parameter" }));
  });
});
