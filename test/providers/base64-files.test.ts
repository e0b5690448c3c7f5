// Files inside answers: which strings are files, that the rest of the answer is unchanged, and what is not base64.
import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sized } from "../support/size.ts";
import { takeFilesOut } from "../../src/providers/transport/base64-files.ts";

const bytesOf = (answer: unknown) => Buffer.from(JSON.stringify(answer));

function valueOf(text: string): string {
  return (JSON.parse(text) as { file: string }).file;
}

describe("what is a file", () => {
  test.each([1, 2, 3, 100, 4_095, 65_537, 300_000, 1_000_001])("%i bytes come out as they went in", (size) => {
    const file = randomBytes(size);
    const { text, fileOf } = takeFilesOut(bytesOf({ before: "é", file: file.toString("base64"), after: [1, '\\"'] }));
    expect(JSON.parse(text)).toMatchObject({ before: "é", after: [1, '\\"'] });
    expect(fileOf(valueOf(text))).toEqual({ bytes: file, contentType: null });
  });

  test("several, long and short, each its own", () => {
    const files = [randomBytes(9_000), randomBytes(10), randomBytes(70_000)];
    const { text, fileOf } = takeFilesOut(bytesOf(files.map((file) => file.toString("base64"))));
    expect((JSON.parse(text) as string[]).map((value) => fileOf(value)!.bytes)).toEqual(files);
    expect(text.length).toBeLessThan(200);
  });

  test.each([20, 20_000])("a data URL of %i bytes says its type", (size) => {
    const file = randomBytes(size);
    const { text, fileOf } = takeFilesOut(bytesOf({ file: `data:image/webp;base64,${file.toString("base64")}` }));
    expect(fileOf(valueOf(text))).toEqual({ bytes: file, contentType: "image/webp" });
  });

  test.each([20, 20_000])("escaped slashes, broken lines and missing padding of %i bytes are read too", (size) => {
    const file = Buffer.alloc(size, 0xff); // slashes only
    const lines = file.toString("base64").replace(/=/g, "").replace(/.{76}/g, "$&\n");
    const { text, fileOf } = takeFilesOut(Buffer.from(JSON.stringify({ file: lines }).replaceAll("/", "\\/")));
    expect(fileOf(valueOf(text))).toEqual({ bytes: file, contentType: null });
  });
});

describe("what is not a file", () => {
  test.each([
    ["nothing", ""],
    ["a sign", "!"],
    ["a letter", "a"],
    ["an address", "https://files.example.com/a.png"],
    ["a letter more than base64 has", "x".repeat(9_001)],
    ["other letters", "é".repeat(8_000)],
    ["padding before its end", `${"A".repeat(8_000)}=AAA`],
  ])("%s", (_what, file) => {
    const { text, fileOf } = takeFilesOut(bytesOf({ file }));
    expect(fileOf(valueOf(text))).toBeNull();
  });

  test("text that is no JSON stays as it is", () => {
    expect(takeFilesOut(Buffer.from('{"a": "b')).text).toBe('{"a": "b');
  });
});

describe("an answer made to cost", () => {
  test("thousands of files are each looked at once", () => {
    const answer = `[${Array.from({ length: sized(25_000, 5_000) }, () => `"${"A".repeat(5_000)}"`).join(",")}]`;
    const { text, fileOf } = takeFilesOut(Buffer.from(answer));
    const lengths = (JSON.parse(text) as string[]).map((value) => fileOf(value)?.bytes.length);
    expect(new Set(lengths)).toEqual(new Set([3_750]));
  });

  test.each([
    ["no file at all", `[${"[],".repeat(1_000_000)}[]]`],
    ["much between files", `[${`"${"A".repeat(5_000)}",${"[],".repeat(250_000)}`.repeat(4)}[]]`],
  ])("more than 2 MB beside files, with %s, is unreadable before it is parsed", (_what, answer) => {
    expect(() => takeFilesOut(Buffer.from(answer))).toThrow(expect.objectContaining({ fault: "unreadable" }));
  });
});
