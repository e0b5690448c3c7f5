// An SVG is any text that an upstream sends: reading its size must be cheap, whatever the text.
import { expect, test } from "vitest";
import { isSvg, svgSize } from "../../src/media/kinds.ts";

const many = 60_000;

test.each([
  ["digits that are no length", `<svg width="${"1".repeat(many)}!" height="1">`],
  ["spaces before its end", `<svg width="1${" ".repeat(many)}!" height="1">`],
  ["a box of nothing", `<svg viewBox="0${" ".repeat(many)}!">`],
  ["names without a value", `<svg x='${" width ".repeat(many / 8)}'>`],
])("an SVG with a size of %s has none, at once", (_what, text) => {
  expect(svgSize(Buffer.from(text))).toBeNull();
});

test.each([
  ["quotes", `<svg ${`"'`.repeat(many)}`],
  ["declarations", `${"<??>".repeat(many)}<g>`],
  ["brackets", `<!DOCTYPE ${"[".repeat(many)}`],
  ["comments", `${"<!---->".repeat(many)}<!--`],
])("nothing but %s is no SVG, at once", (_what, text) => {
  expect(isSvg(Buffer.from(text))).toBe(false);
});
