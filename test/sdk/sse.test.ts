// Server-sent events, however they are cut: the standard's rules, and the same events for every way to cut the same bytes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventsOf, type ServerEvent } from "../../src/sdk/stream.ts";

async function* cut(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes.length === 0 ? bytes.length : sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function read(text: string, sizes: readonly number[] = []): Promise<ServerEvent[]> {
  const events = [];
  for await (const event of eventsOf(cut(new TextEncoder().encode(text), sizes))) events.push(event);
  return events;
}

const datas = async (text: string) => (await read(text)).map(({ data }) => data);

describe("an event", () => {
  test("has its lines of data joined, its name, and nothing of comments, ids and unknown fields", async () => {
    expect(await read(": hi\nevent: a\nid: 7\nretry: 5\ndata: 1\ndata:2\ndata\nwhat: 3\n\n")).toEqual([{ event: "a", data: "1\n2\n" }]);
  });

  test("loses one space after the colon, not two; a name ends with its event", async () => {
    expect(await read("event:x\ndata:  1\n\ndata: 2\n\n")).toEqual([
      { event: "x", data: " 1" },
      { event: "", data: "2" },
    ]);
  });

  test("without data is none; comments between events are none", async () => {
    expect(await datas(": keep-alive\n\n\n\nevent: ping\n\ndata: 1\n\n: keep-alive\n\n")).toEqual(["1"]);
  });

  test("that no empty line closed is none", async () => {
    expect(await datas('data: 1\n\ndata: {"cut')).toEqual(["1"]);
    expect(await datas("data: 1\n\ndata: 2\n")).toEqual(["1"]);
  });

  test.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("may have lines that end with %s, after a BOM too", async (_, end) => {
    expect(await datas(`\uFEFFdata: 1${end}${end}data: 2${end}data: 3${end}${end}`)).toEqual(["1", "2\n3"]);
  });
});

describe("however the bytes are cut", () => {
  const word = fc.string({ unit: fc.constantFrom("a", " ", ":", "ü", "漢", "😀", "\u2028", '"', "{", "\uFEFF"), maxLength: 12 });
  const line = fc.oneof(
    word.map((text) => `data: ${text}`),
    word.map((text) => `data:${text}`),
    word.map((text) => `: ${text}`),
    fc.constantFrom("data", "event: a", "event:b", "id: 1", "retry: 10", "", ""),
  );
  const source = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 });

  test("the events are those that the standard's rules give for the whole text", async () => {
    await fc.assert(
      fc.asyncProperty(source, fc.boolean(), fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 5 }), async (lines, bom, sizes) => {
        const text = (bom ? "\uFEFF" : "") + lines.map(([text, end]) => text + end).join("");
        expect(await read(text, sizes)).toEqual(byTheRules(text));
      }),
      { numRuns: 500 },
    );
  });

  /** The standard's algorithm, word for word, on a whole text. */
  function byTheRules(text: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    let [event, data] = ["", ""];
    const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
    lines.pop(); // no line end came
    for (const line of lines) {
      if (line === "") {
        if (data !== "") events.push({ event, data: data.slice(0, -1) });
        [event, data] = ["", ""];
        continue;
      }
      const colon = line.indexOf(":");
      const [name, value] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
      if (name === "data") data += `${value}\n`;
      if (name === "event") event = value;
    }
    return events;
  }
});

test("a long event in small pieces takes time in proportion", async () => {
  const text = `data: ${"x".repeat(2_000_000)}\n\n`;
  expect((await read(text, [100]))[0]!.data).toHaveLength(2_000_000);
});

test("an event of more than 64 million characters is refused before it fills the memory", async () => {
  async function* endless(): AsyncGenerator<Uint8Array> {
    const piece = new TextEncoder().encode("x".repeat(1_000_000));
    for (;;) yield piece;
  }
  const reading = (async () => {
    for await (const _ of eventsOf(endless()));
  })();
  await expect(reading).rejects.toMatchObject({ code: "unexpected_answer" });
});
