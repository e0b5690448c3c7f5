// "Forwarded as sent": only the edited members of a body change.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJson } from "../../src/json/parse.ts";
import { spliceJson } from "../../src/providers/json/splice.ts";

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);
const odd = ["model", "store", "stream", "n", "a", "", "\\", "\\u", 'q"\\', "é", "名前", "\ud83d", "__proto__", "1", "0"];
const key = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: "binary" }));
const members = fc.uniqueArray(fc.tuple(key, fc.json(), space, space, space, space), { selector: ([name]) => name, maxLength: 8 });
const edits = fc.dictionary(fc.oneof(key), fc.option(fc.json()), { maxKeys: 5, noNullPrototype: true });

function write(rows: [string, string, string, string, string, string][], escape: boolean): string {
  const quoted = (name: string) =>
    escape
      ? `"${[...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`
      : JSON.stringify(name);
  return ` {${rows.map(([name, value, a, b, c, d]) => a + quoted(name) + b + ":" + c + value + d).join(",")}} \n`;
}

describe("spliceJson", () => {
  test("the result parses to the edited object, and unedited members keep their bytes", () => {
    fc.assert(
      fc.property(members, edits, fc.boolean(), (rows, change, escape) => {
        const text = write(rows, escape);
        const last = rows.length - 1;
        JSON.parse(
          write(
            rows.map(([name, ...more], at) => [at === last ? "\\" : name, ...more]),
            false,
          ),
        ); // V8 then takes others for it
        const result = spliceJson(text, change);
        const expected = new Map<string, unknown>(rows.map(([name, value]) => [name, parseJson(value)]));
        for (const [name, value] of Object.entries(change)) {
          if (value === null) expected.delete(name);
          else expected.set(name, parseJson(value));
        }
        expect(new Map(Object.entries(parseJson(result) as object))).toEqual(expected);
        for (const row of rows) if (!Object.hasOwn(change, row[0])) expect(result).toContain(write([row], escape).slice(2, -3));
        if (Object.keys(change).length === 0) expect(result).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("numbers no double can hold, escapes, inner duplicates and white space stay as they were", () => {
    const messages = '[ {"role":"user","role" : "us\\u0065r","content":"\\ud83d\\ude00 \\/ 1e400"} ]';
    const text = `{ "model" :\t"m-1",\n "seed":12345678901234567890, "x":1e400 ,"messages":${messages},"z":-0.0}`;
    expect(spliceJson(text, { model: '"up"', stream_options: '{"include_usage":true}' })).toBe(
      `{ "model" :\t"up",\n "seed":12345678901234567890, "x":1e400 ,"messages":${messages},"z":-0.0,"stream_options":{"include_usage":true}}`,
    );
  });

  test("of several members with one name one is left, however its key is written; unedited the last, as JSON.parse takes it", () => {
    expect(spliceJson('{"model":"a","n":1,"mod\\u0065l":"b" , "model":"c"}', { model: '"x"' })).toBe('{"model":"x","n":1}');
    expect(spliceJson('{"store":1, "st\\u006fre":2}', { store: null })).toBe("{}");
    expect(spliceJson('{"n":1,"m":0,"\\u006e":2}', { store: null })).toBe('{"m":0,"\\u006e":2}');
  });

  test("a name inside a message, or inside a string, is not the member", () => {
    const text = '{"messages":[{"store":true,"t":"\\",\\"store\\":1,\\\\"}],"store":{"store":[1,"]}"]}}';
    expect(spliceJson(text, { store: null })).toBe('{"messages":[{"store":true,"t":"\\",\\"store\\":1,\\\\"}]}');
  });

  test("25 MB, of base64 or of quotes and backslashes, are spliced as they are", () => {
    for (const content of ["A".repeat(25e6), '\\"'.repeat(12e6), "\\\\".repeat(12e6), '{\\"a\\":['.repeat(3e6)]) {
      const text = `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`;
      expect(spliceJson(text, { model: '"u"' }) === text.replace('"m"', '"u"')).toBe(true);
    }
  });

  test.each(["", "[]", "1", "{", '{"a"', '{"a":', '{"a":1', '{"a":"x', '{"a":[1', '{"a":1 "b":2}', '{"a":,"b":1}', "{a:1}"])(
    "refuses %s, which is no object",
    (text) => {
      expect(() => spliceJson(text, { model: '"u"' })).toThrow(SyntaxError);
    },
  );
});
