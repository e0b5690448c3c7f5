// Characters as limits and prices count them: code points after NFC, counted in time whatever the text.
import { describe, expect, test } from "vitest";
import { countText, isBlank } from "../../src/text/counted-text.ts";

describe("countText", () => {
  test.each([
    ["", "", 0],
    ["e\u0301", "é", 1],
    ["\u1fbe", "ι", 1],
    ["ᾳ\u0345", "ᾳ\u0345", 2],
    ["\u1100\u1161\u11a8", "각", 1],
    ["\u0344", "\u0308\u0301", 2],
    ["\u0958", "\u0915\u093c", 2],
    ["😀a", "😀a", 2],
    ["\udc00\ud800", "\ufffd\ufffd", 2],
  ])("%j is %j: %d", (given, text, characters) => {
    expect(countText(given, 100)).toEqual({ text, characters });
  });

  test("counts exactly what can come down to the limit, four characters that fold into one included", () => {
    const folded = "\u03b1\u0313\u0300\u0345"; // ᾂ
    expect(countText(folded.repeat(100), 100)).toEqual({ text: "ᾂ".repeat(100), characters: 100 });
    expect(countText(folded.repeat(101), 100).characters).toBe(101);
    expect(countText(`a${"\u0301".repeat(101)}`, 100).characters).toBe(101);
  });

  test.each([
    ["a text that is far too long", "x".repeat(10_000_000)],
    ["marks in the worst order", `a${"\u0301".repeat(2_000_000)}${"\u0327".repeat(2_000_000)}`],
    ["few enough units, but one run of marks", `a${"\u0301".repeat(300)}${"\u0327".repeat(300)}`],
  ])("%s isn't even normalised", (_, given) => {
    expect(countText(given, 100)).toEqual({ text: given, characters: Infinity });
  });
});

test.each([
  ["", true],
  [" \t\n\u00a0\u3000", true],
  ["\u200b\u200d\ufeff\u0007", true],
  ["\u0301", false],
  ["。", false],
  ["0", false],
])("isBlank(%j) is %s", (text, blank) => {
  expect(isBlank(text)).toBe(blank);
});
