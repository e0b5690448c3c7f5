// The PDF writer: many lines become pages, marks of the format are escaped, and each offset of its table is where it says.
import { expect, test } from "vitest";
import { pdfOf } from "../../src/text/pdf.ts";

const textOf = (bytes: Buffer) => bytes.toString("latin1");

test("every object stands where the table says, and the table where the end says", () => {
  const text = textOf(pdfOf("t", [{ text: "a" }, { text: "b", bold: true }]));
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
  const table = text.slice(start);
  expect(table).toMatch(/^xref\n0 8\n0000000000 65535 f \n/);
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
  expect(offsets).toHaveLength(7);
  for (const [index, offset] of offsets.entries()) expect(text.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`));
});

test("a stream has the length that it says", () => {
  const text = textOf(pdfOf("t", [{ text: "Ünïcode é" }]));
  const [, length, content] = /\/Length (\d+) >>\nstream\n([^]*?)\nendstream/.exec(text)!;
  expect(content).toHaveLength(Number(length));
});

test("more lines than a page has go to the next; none make one empty page", () => {
  const pages = (lines: number) =>
    Number(
      /\/Count (\d+)/.exec(
        textOf(
          pdfOf(
            "t",
            Array.from({ length: lines }, () => ({ text: "x" })),
          ),
        ),
      )![1],
    );
  expect([pages(0), pages(1), pages(50), pages(51), pages(151)]).toEqual([1, 1, 1, 2, 4]);
});

test("parentheses and backslashes are escaped, what Latin 1 lacks is a question mark", () => {
  expect(textOf(pdfOf("t", [{ text: String.raw`a (b) \ 日 é` }]))).toContain(String.raw`(a \(b\) \\ ? é)`);
});
