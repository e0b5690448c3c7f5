// The parser of server-sent events, however the bytes are cut.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openSseParser, type SseRecord } from "../../src/providers/transport/read-stream.ts";

function parse(...pieces: Buffer[]): SseRecord[] {
  const parser = openSseParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

const texts = (records: SseRecord[]) => records.map(({ data }) => data);
const awkward =
  '\uFEFF: hello\r\n\r\ndata: {"a":"é😀"}\r\n\r\ndata:no space\rdata:  two\r\revent: error\ndata: x\nid: 3\nretry: 1\n\n\n\ndata\n\ndata: last 漢';
const expected: SseRecord[] = [
  { event: "", data: '{"a":"é😀"}' },
  { event: "", data: "no space\n two" },
  { event: "error", data: "x" },
  { event: "", data: "" },
  { event: "", data: "last 漢" },
];

describe("openSseParser", () => {
  test("BOM, comments, LF, CR, CRLF, missing space, several data lines, events, a last record without its blank line", () => {
    expect(parse(Buffer.from(awkward))).toEqual(expected);
  });

  test("the same records at every split point, in two and in three pieces, and byte by byte", () => {
    const bytes = Buffer.from(awkward);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(parse(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
      for (let next = at; next <= bytes.length; next += 7) {
        expect(parse(bytes.subarray(0, at), bytes.subarray(at, next), bytes.subarray(next))).toEqual(expected);
      }
    }
    expect(parse(...[...bytes].map((byte) => Buffer.of(byte)))).toEqual(expected);
  });

  test("whatever is sent, in whatever line ends and pieces, arrives", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\uFEFF]/g, ""));
    const record = fc.tuple(fc.array(line, { minLength: 1, maxLength: 3 }), fc.constantFrom("\n", "\r", "\r\n"));
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), fc.array(fc.nat(200), { maxLength: 8 }), (records, cuts) => {
        const text = records.map(([lines, end]) => lines.map((value) => `data: ${value}${end}`).join("") + end).join("");
        const bytes = Buffer.from(text);
        const points = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const pieces = points.slice(1).map((to, index) => bytes.subarray(points[index], to));
        expect(texts(parse(...pieces))).toEqual(records.map(([lines]) => lines.join("\n")));
      }),
      { numRuns: 500 },
    );
  });

  test("a record above the bound is refused, in one line, in many, or without any line end", () => {
    const refused = (piece: string) => () => {
      const parser = openSseParser(1_000);
      for (let round = 0; round < 2_000; round += 1) parser.push(Buffer.from(piece));
    };
    expect(refused("x")).toThrow("unreadable: one record of the stream is too large");
    expect(refused("data: y\n")).toThrow("too large");
    expect(refused(`data: ${"z".repeat(1_001)}\n`)).toThrow("too large");
    expect(refused(": a comment every few seconds\n\n")).not.toThrow();
  });
});
