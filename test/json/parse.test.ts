// Reading JSON text: the same as written, whatever V8 has read before (docs/v8-json-escaped-keys.md says what it then misreads).
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasEscapedKey, parseJson } from "../../src/json/parse.ts";
import { parseExact, parseLong } from "../../src/providers/json/read.ts";
import { runProcess } from "../docs/run-block.ts";
import { runEnvironment } from "../support/leftovers.ts";
import { sized } from "../support/size.ts";

/** What a text is made from, and so what it must be read as: no parser stands between. */
type Tree = { rows: Row[] } | { items: Tree[] } | { string: string; hows: How[] } | { literal: string };
/** A key, how each of its units is written, and the white space before and after it. */
interface Row {
  key: string;
  hows: How[];
  space: [string, string];
  value: Tree;
}
/** As it is where that may be, by its short escape where it has one, or by its number. */
type How = "plain" | "short" | "number" | "NUMBER";

const shorts: Record<string, string> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  "\b": "b",
  "\f": "f",
  "\n": "n",
  "\r": "r",
  "\t": "t",
};

function unitText(unit: string, how: How): string {
  const short = shorts[unit];
  const mustEscape = unit < " " || unit === '"' || unit === "\\";
  if (how === "plain" && !mustEscape) return unit;
  if (short !== undefined && (how === "short" || how === "plain")) return `\\${short}`;
  const number = unit.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${how === "NUMBER" ? number.toUpperCase() : number}`;
}

/** By UTF-16 units, so that a half of a pair may be written as one and as an escape. */
const inside = (text: string, hows: readonly How[]) =>
  Array.from({ length: text.length }, (_, at) => unitText(text[at]!, hows[at % hows.length]!)).join("");

function textOf(tree: Tree): string {
  if ("literal" in tree) return tree.literal;
  if ("string" in tree) return `"${inside(tree.string, tree.hows)}"`;
  if ("items" in tree) return `[${tree.items.map(textOf).join(" ,")}]`;
  return `{${tree.rows.map(({ key, hows, space, value }) => `${space[0]}"${inside(key, hows)}"${space[1]}:${space[0]}${textOf(value)}`).join(",")}}`;
}

/** Of equal keys the last value at the first place, and whole numbers first, as in every object. */
function valueOf(tree: Tree, numberOf: (source: string) => unknown): unknown {
  if ("literal" in tree)
    return { true: true, false: false, null: null }[tree.literal.trim()] ?? numberOrNull(tree.literal.trim(), numberOf);
  if ("string" in tree) return tree.string;
  if ("items" in tree) return tree.items.map((item) => valueOf(item, numberOf));
  return Object.fromEntries(tree.rows.map(({ key, value }) => [key, valueOf(value, numberOf)]));
}
const numberOrNull = (literal: string, numberOf: (source: string) => unknown) => (literal === "null" ? null : numberOf(literal));

/** The texts after which V8 takes each escaped key for another: as many keys, the escaped one as far as it is long, its escapes read as text. */
function poisons(tree: Tree): string[] {
  if ("items" in tree) return tree.items.flatMap(poisons);
  if (!("rows" in tree)) return [];
  const cut = ({ key, hows }: Row) => inside(key, hows).slice(0, key.length);
  const whole = tree.rows.map(({ key }) => key);
  return [...tree.rows.map((row, at) => [...whole.slice(0, at), cut(row), ...whole.slice(at + 1)]), tree.rows.map(cut)]
    .map((keys) => `{${keys.map((key) => `${JSON.stringify(key)}:1`).join(",")}}`)
    .concat(tree.rows.flatMap(({ value }) => poisons(value)));
}

/** Own keys in their order, prototypes, -0 and numbers that kept their text: what toEqual passes over. */
function outlineOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(outlineOf);
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : value;
  const rows = Object.keys(value).map((key) => [key, outlineOf((value as Record<string, unknown>)[key])]);
  return [Object.getPrototypeOf(value) === Object.prototype ? "object" : "other", rows];
}

const how = fc.array(fc.constantFrom<How>("plain", "short", "number", "NUMBER"), { minLength: 1, maxLength: 4 });
const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
const words = [
  "model",
  "n",
  "",
  "\\",
  "\\u",
  "\\u0061",
  "ab\\",
  "ab\n",
  'q"\\',
  '":',
  "a:",
  "é",
  "名前",
  "\ud83d\ude00",
  "\ud83d",
  "__proto__",
];
const names = fc.oneof(fc.constantFrom(...words, "toString", "1", "0", "-1", "4294967295"), fc.string({ unit: "binary" }));
const literals = fc.constantFrom("true", "false", "null", "0", "-0", "1.50", "1e400", "12345678901234567890", "-1E-2", " 7 ");
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    literals.map((literal) => ({ literal })),
    fc.record({ string: names, hows: how }),
    fc.array(tie("tree"), { maxLength: 4 }).map((items) => ({ items })),
    fc
      .array(fc.record({ key: names, hows: how, space: fc.tuple(space, space), value: tie("tree") }), { maxLength: 6 })
      .map((rows) => ({ rows })),
  ),
}));

describe("what is read is what is written, after V8 has read what it mistakes for it", () => {
  test("keys with any escapes at any depth, twice or as __proto__; strings with halves of pairs; numbers", () => {
    fc.assert(
      fc.property(tree, (root) => {
        for (const poison of poisons(root)) JSON.parse(poison);
        expect(outlineOf(parseJson(textOf(root)))).toEqual(outlineOf(valueOf(root, Number)));
      }),
      { numRuns: sized(1000, 300) },
    );
  });

  test("numbers that keep their text", () => {
    fc.assert(
      fc.property(tree, (root) => {
        for (const poison of poisons(root)) JSON.parse(poison);
        const exact = (source: string) => (String(Number(source)) === source ? Number(source) : rawJson(source));
        const long = (source: string) => (/^-?\d{16,}$/.test(source) ? exact(source) : Number(source));
        expect(outlineOf(parseExact(textOf(root)))).toEqual(outlineOf(valueOf(root, exact)));
        expect(outlineOf(parseLong(textOf(root)))).toEqual(outlineOf(valueOf(root, long)));
      }),
      { numRuns: sized(500, 200) },
    );
  });
  const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

  test.each([
    ['{"model":1,"\\\\":1}', '{"model":1,"\\u006e":5}', { model: 1, n: 5 }],
    ['{"a":1,"\\\\u":1}', '{"a":1,"\\u540d\\u524d":2}', { a: 1, 名前: 2 }],
    ['{"b":1,"ab\\\\":1}', '{"b":1,"ab\\n":2}', { b: 1, "ab\n": 2 }],
    ['{"c":1,"\\\\u0061":1}', '{"c":1,"\\u0061bcdef":2}', { c: 1, abcdef: 2 }],
  ])("V8's JSON.parse after %s", (poison, text, value) => {
    JSON.parse(poison);
    expect(parseJson(text)).toEqual(value);
  });

  test("200,000 levels deep", () => {
    const levels = 200_000;
    let value = parseJson('{"\\u0061":['.repeat(levels) + "7" + "]}".repeat(levels));
    for (let level = 0; level < levels; level += 1) value = (value as { a: unknown[] }).a[0];
    expect(value).toBe(7);
  });
});

describe("the report's reproduction", () => {
  const report = readFileSync(new URL("../../docs/v8-json-escaped-keys.md", import.meta.url), "utf8");
  const code = /^```js\n([^]*?)^```$/m.exec(report)![1]!;
  const said = [...code.matchAll(/\/\/ +({.*}) +instead of ({.*})$/gm)].map(([, wrong, right]) => ({ wrong: wrong!, right: right! }));
  const run = async (text: string) => {
    const folder = import.meta.dirname;
    const printed = await runProcess(process.execPath, ["--input-type=module", "-"], text, { folder, environment: runEnvironment() });
    return printed.trim().split("\n");
  };

  test("prints the misread texts of its comments under a V8 that has the fault, the right ones under another, as its table of versions says", async () => {
    expect(said).toHaveLength(code.split("console.log").length - 1);
    const printed = await run(code);
    const faulty = printed[0] === said[0]!.wrong;
    expect(printed).toEqual(said.map(({ wrong, right }) => (faulty ? wrong : right)));
    const listed = new RegExp(`^\\| ${process.versions.node} +\\| \\S+ +\\| (yes|no) `, "m").exec(report)?.[1];
    expect(listed ?? (faulty ? "yes" : "no")).toBe(faulty ? "yes" : "no");
  });

  test("prints the right ones wherever parseJson reads the text in V8's place", async () => {
    const reader = `import { parseJson } from ${JSON.stringify(new URL("../../src/json/parse.ts", import.meta.url).href)};\n`;
    expect(await run(reader + code.replaceAll("JSON.stringify(JSON.parse(", "JSON.stringify(parseJson("))).toEqual(
      said.map(({ right }) => right),
    );
  });
});

describe("what it reads harms no other reader", () => {
  test("JSON.parse, which libraries call, stays right after any text that went through it", () => {
    for (let keys = 1; keys < 130; keys += 1) {
      const before = Array.from({ length: keys - 1 }, (_, at) => `"harmless_${keys}_${at}":0,`).join("");
      parseJson(`{${before}"\\\\":1}`);
      expect(Object.keys(JSON.parse(`{${before}"\\n":1}`) as object).at(-1)).toBe("\n");
    }
  });

  test("no prototype changes", () => {
    const read = parseJson(
      '{"__proto__":{"polluted":1},"\\u005f_proto__":{"polluted":2},"constructor":{"prototype":{"polluted":3}}}',
    ) as object;
    expect([Object.getPrototypeOf(read), Object.keys(read), "polluted" in {}]).toEqual([
      Object.prototype,
      ["__proto__", "constructor"],
      false,
    ]);
  });
});

describe("only texts with an escaped key are read by hand", () => {
  const stringsOf = (root: Tree): boolean =>
    "rows" in root
      ? root.rows.some(({ key, hows, value }) => inside(key, hows).includes("\\") || stringsOf(value))
      : "items" in root && root.items.some(stringsOf);
  test("an escaped key is found wherever it stands, and nothing else is taken for one", () => {
    fc.assert(
      fc.property(tree, (root) => {
        expect(hasEscapedKey(textOf(root))).toBe(stringsOf(root));
      }),
      { numRuns: sized(2000, 500) },
    );
  });

  test("in linear time, as every search of it passes each unit a few times at most", () => {
    for (const part of ["\\", '\\"', '":', '\\":', " : ", '"a\\\\" :1,', '{"a":"\\n",', "\\\\\\"]) {
      hasEscapedKey(part.repeat(5e6));
      hasEscapedKey(`{"a":"${part.repeat(5e6)}"}`);
    }
  });
});

describe("what is no JSON", () => {
  const breaks = fc.tuple(tree, fc.nat(), fc.constantFrom("", "}", "]", ",", ":", '"', "\\", "x", "0", "-", "\u0001", "\ufeff", ".", "e"));
  test("is a SyntaxError just where it is one to JSON.parse, with an escaped key or without", () => {
    const fails = (read: () => unknown) => {
      try {
        return (read(), false);
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
        return true;
      }
    };
    fc.assert(
      fc.property(breaks, fc.boolean(), ([root, at, put], cut) => {
        const whole = `{"\\u0061":${textOf(root)}}`;
        const place = at % whole.length;
        const text = whole.slice(0, place) + put + (cut ? "" : whole.slice(place + (at % 2)));
        expect(fails(() => parseJson(text))).toBe(fails(() => JSON.parse(text)));
      }),
      { numRuns: sized(3000, 700) },
    );
  });
});
