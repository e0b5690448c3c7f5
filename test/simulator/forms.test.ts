// The simulator's own reader of multipart forms: what real clients write, and what isn't written properly.
import { describe, expect, test } from "vitest";
import { readForm } from "../../src/simulator/read-form.ts";

/** As the platform writes it. */
async function written(form: FormData): Promise<[Buffer, string]> {
  const sent = new Response(form);
  return [Buffer.from(await sent.arrayBuffer()), sent.headers.get("content-type")!];
}

const type = "multipart/form-data; boundary=x";
const field = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1';

describe("forms", () => {
  test("what the platform writes: odd names, repeated fields, bytes that look like a boundary", async () => {
    const form = new FormData();
    form.append("a[]", "ü\r\nb");
    form.append("a[]", "");
    const bytes = Buffer.from("\r\n--\r\n\0\xff", "latin1");
    form.append("file", new File([bytes], 'my "best"\n.wav', { type: "audio/wav" }));
    const { fields, files, parts } = readForm(...(await written(form)));
    expect(fields).toEqual([
      ["a[]", "ü\r\nb"],
      ["a[]", ""],
    ]);
    expect(files).toEqual([{ name: "file", fileName: 'my "best"\n.wav', contentType: "audio/wav", bytes }]);
    expect(parts.map((part) => part.bytes)).toEqual([5, 0, 8]);
  });

  test("a quoted boundary, and a form without parts", () => {
    expect(readForm(Buffer.from(`${field}\r\n--x--\r\n`), 'multipart/form-data; boundary="x"').fields).toEqual([["a", "1"]]);
    expect(readForm(Buffer.from("--x--\r\n"), type).fields).toEqual([]);
  });

  for (const [what, body, sent] of [
    ["no boundary", `${field}\r\n--x--`, "multipart/form-data"],
    ["another boundary", `${field}\r\n--x--`, "multipart/form-data; boundary=y"],
    ["no end", `${field}`, type],
    ["no last line", `${field}\r\n--x\r\n`, type],
    ["bare line feeds", field.replaceAll("\r\n", "\n"), type],
    ["a part without a name", `${field.replace('; name="a"', "")}\r\n--x--`, type],
    ["another kind of body", "{}", "application/json"],
  ] as const) {
    test(`refused: ${what}`, () => {
      expect(() => readForm(Buffer.from(body), sent)).toThrow();
    });
  }
});
