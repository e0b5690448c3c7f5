// Paths and contracts that a matcher may stumble over.
import fc from "fast-check";
import { operations } from "../../generated/operations.ts";

export const methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"];

/** Any spelling, and methods that no contract knows. */
export const anyMethod = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...methods) },
  { weight: 1, arbitrary: fc.mixedCase(fc.constantFrom(...methods)) },
  { weight: 1, arbitrary: fc.constantFrom("QUERY", "PROPFIND", "constructor", "__proto__", "get ", "path", "parameters", "X") },
);

const contractPaths = [...new Set(Object.values(operations).map(({ path }) => path))];
const contractWords = [...new Set(contractPaths.flatMap((path) => path.split("/")))];

const escapes = [
  "%2F",
  "%2f",
  "%252F",
  "%25",
  "%",
  "%2",
  "%zz",
  "%00",
  "%0A",
  "%2e%2e",
  "%E2%82%AC",
  "%E2%82",
  "%C0%AF",
  "%u002f",
  "%7Bid%7D",
];
const oddities = [
  ...[
    "",
    ".",
    "..",
    "...",
    "{id}",
    "{",
    "}",
    "{}",
    "{id",
    "{job_id}x",
    ":id",
    "*",
    "**",
    ".*",
    "[^/]+",
    "$",
    "^",
    "\\",
    "\\/",
    "(a|b)",
    "+",
    "|",
  ],
  ...[
    "\0",
    "\n",
    "\r\n",
    "\u2028",
    "__proto__",
    "constructor",
    "toString",
    "é",
    "e\u0301",
    "\ud83d\ude00",
    "\ud83d",
    "\ufeff",
    "\u00ad",
    "K",
    "ı",
  ],
];

/** Text without the sign that ends a segment. */
const text = fc.string({ unit: "binary", maxLength: 12 }).map((value) => value.replaceAll("/", ""));
const encoded = fc.array(fc.oneof(fc.constantFrom(...escapes), text), { maxLength: 4 }).map((parts) => parts.join(""));
const long = fc
  .tuple(fc.constantFrom("a", "%2F", ".", "é", "{"), fc.integer({ min: 200, max: 20_000 }))
  .map(([unit, count]) => unit.repeat(count));

export const anySegment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...contractWords) },
  { weight: 3, arbitrary: fc.constantFrom(...oddities) },
  { weight: 2, arbitrary: text },
  { weight: 2, arbitrary: encoded },
  { weight: 2, arbitrary: fc.stringMatching(/^[A-Za-z0-9%._~:@!$&'()*+,;=-]{0,6}$/) },
);

const builtPath = fc.array(anySegment, { minLength: 1, maxLength: 7 }).map((segments) => `/${segments.join("/")}`);
const manySegments = fc
  .array(fc.constantFrom("", ".", "v1", "models", "{id}"), { minLength: 50, maxLength: 500 })
  .map((parts) => `/${parts.join("/")}`);
const filledPath = fc
  .tuple(fc.constantFrom(...contractPaths), fc.array(anySegment, { minLength: 2, maxLength: 2 }))
  .map(([path, values]) => path.replace(/\{[^}]+\}/g, () => values.pop() ?? "x"));
const longPath = fc.tuple(fc.constantFrom(...contractPaths), long).map(([path, value]) => path.replace(/\{[^}]+\}|$/, () => value));

/** What a slip of a hand makes of a path: a few characters lost, doubled, swapped, put in or written large. */
const slip = fc.record({
  kind: fc.constantFrom("lose", "double", "swap", "put", "large", "cut"),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  put: fc.oneof(fc.constantFrom("/", "//", "%2F", "{", "}", ".", "\0", " "), fc.string({ unit: "binary", minLength: 1, maxLength: 1 })),
});

function withSlip(path: string, { kind, at, put }: { kind: string; at: number; put: string }): string {
  const place = Math.floor(at * path.length);
  const [before, character, after] = [path.slice(0, place), path.slice(place, place + 1), path.slice(place + 1)];
  if (kind === "lose") return before + after;
  if (kind === "double") return before + character + character + after;
  if (kind === "swap") return before + after.slice(0, 1) + character + after.slice(1);
  if (kind === "put") return before + put + character + after;
  if (kind === "large") return before + character.toUpperCase() + after;
  return before;
}

const slippedPath = fc
  .tuple(filledPath, fc.array(slip, { minLength: 1, maxLength: 4 }))
  .map(([path, slips]) => slips.reduce(withSlip, path));

export const anyPath = fc.oneof(
  { weight: 20, arbitrary: builtPath },
  { weight: 25, arbitrary: slippedPath },
  { weight: 15, arbitrary: filledPath },
  { weight: 1, arbitrary: longPath },
  { weight: 1, arbitrary: manySegments },
  { weight: 5, arbitrary: fc.webPath() },
  { weight: 5, arbitrary: fc.string({ unit: "binary" }).map((value) => `/${value}`) },
);

/** Few words, so that what is asked for often fits several templates at once. */
const templateSegments = [
  "a",
  "b",
  "ab",
  "a.b",
  "{x}",
  "{y}",
  "{long_name}",
  "a{x}",
  "{x}b",
  "{x}.json",
  "{x}-{y}",
  "{x}{y}",
  "(a)",
  "[^/]+",
  "a+",
  "",
];
const template = fc.array(fc.constantFrom(...templateSegments), { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
const askedSegments = [
  "a",
  "b",
  "ab",
  "aab",
  "a.b",
  "axb",
  "c",
  "a.json",
  ".json",
  "-",
  "a-b",
  "(a)",
  "aa",
  "{x}",
  "{x}-{y}",
  "",
  "%2F",
  "é",
];

export interface RandomOperation {
  id: string;
  method: string;
  path: string;
}

export const anyContract: fc.Arbitrary<RandomOperation[]> = fc
  .uniqueArray(fc.record({ method: fc.constantFrom("get", "post", "put"), path: template }), {
    minLength: 1,
    maxLength: 12,
    selector: ({ method, path }) => `${method} ${path}`,
  })
  .map((list) => list.map((operation, index) => ({ id: `op${index}`, ...operation })));

/** Of a contract: one of its own paths filled in, one as it stands, or another. */
export const askedPath = (contract: RandomOperation[]) =>
  fc.oneof(
    fc.array(fc.constantFrom(...askedSegments), { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
    fc.constantFrom(...contract.map(({ path }) => path)),
    fc
      .tuple(fc.constantFrom(...contract.map(({ path }) => path)), fc.constantFrom(...askedSegments))
      .map(([path, value]) => path.replace(/\{[^}]+\}/g, value)),
  );
