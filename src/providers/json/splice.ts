// Edits top-level members of a JSON object's text and leaves every other byte as it was sent. The flows decide what to edit.
import { Readable } from "node:stream";
import { parseJson } from "../../json/parse.ts";
import type { UpstreamRequest } from "../transport/types.ts";

/** A member's position in the text; `from` to `to` is everything between its separators, white space included. */
interface Member {
  key: string;
  from: number;
  valueFrom: number;
  valueTo: number;
  to: number;
}

type Edits = Record<string, string | null>;

/**
 * Replaces a member's value by the given JSON text, removes the member (null), or adds it where it is absent. Of several members with
 * one name only the last is kept, as every reader here takes it: no upstream can read another value than the one that we set or
 * counted.
 */
export function spliceJson<Text extends JsonText>(text: Text, edits: Edits): Text;
export function spliceJson(text: JsonText, edits: Edits): JsonText {
  return typeof text === "string" ? spliceString(text, edits) : splicePieces(text, edits);
}

function spliceString(text: string, edits: Edits): string {
  const { members, bodyFrom, bodyTo } = readMembers(text);
  const { left, added } = edit(members, edits);
  let body = "";
  for (const { member, value } of left) {
    if (body !== "") body += ",";
    if (value === undefined) body += text.slice(member.from, member.to);
    else body += text.slice(member.from, member.valueFrom) + value + text.slice(member.valueTo, member.to);
  }
  for (const [key, value] of added) body += `${body === "" ? "" : ","}${JSON.stringify(key)}:${value}`;
  return text.slice(0, bodyFrom) + body + text.slice(bodyTo);
}

/** The values of some members, parsed; of several with one name the last, as in `spliceJson`. */
export function membersOf(text: JsonText, keys: readonly string[]): Record<string, unknown> {
  const members =
    typeof text === "string"
      ? readMembers(text).members.map(({ key, valueFrom, valueTo }) => ({ key, value: () => text.slice(valueFrom, valueTo) }))
      : text.members.map(({ key, value }) => ({ key, value: () => value.toString() }));
  return Object.fromEntries(members.filter(({ key }) => keys.includes(key)).map(({ key, value }) => [key, parseJson(value())]));
}

/** Gives members another name, or leaves them out (null). A name that is taken already keeps its own value. */
export function renameMembers<Text extends JsonText>(text: Text, names: Readonly<Record<string, string | null>>): Text;
export function renameMembers(text: JsonText, names: Readonly<Record<string, string | null>>): JsonText {
  if (typeof text !== "string") {
    const members = renamed(text.members, names).map(([member, name]) =>
      name === member.key ? member : { ...member, key: name, head: Buffer.from(`${JSON.stringify(name)}:`) },
    );
    return { members };
  }
  const { members, bodyFrom, bodyTo } = readMembers(text);
  const slots = renamed(members, names).map(([{ key, from, valueFrom, to }, name]) =>
    name === key ? text.slice(from, to) : `${JSON.stringify(name)}:${text.slice(valueFrom, to)}`,
  );
  return text.slice(0, bodyFrom) + slots.join(",") + text.slice(bodyTo);
}

function renamed<Known extends { key: string }>(members: readonly Known[], names: Readonly<Record<string, string | null>>) {
  const taken = new Set(members.map(({ key }) => key));
  return members.flatMap((member): [Known, string][] => {
    const name = Object.hasOwn(names, member.key) ? names[member.key]! : member.key;
    return name === null || (name !== member.key && taken.has(name)) ? [] : [[member, name]];
  });
}

const nothing = Buffer.alloc(0);

function splicePieces({ members }: JsonPieces, edits: Edits): JsonPieces {
  const { left, added } = edit(members, edits);
  return {
    members: [
      ...left.map(({ member, value }) => (value === undefined ? member : { ...member, value: Buffer.from(value) })),
      ...added.map(([key, value]) => ({ key, head: Buffer.from(`${JSON.stringify(key)}:`), value: Buffer.from(value), tail: nothing })),
    ],
  };
}

/** The members that stay, with new values where they are edited, and the added ones. */
function edit<Known extends { key: string }>(members: readonly Known[], edits: Edits) {
  const left: { member: Known; value: string | undefined }[] = [];
  const done = new Set<string>();
  const last = new Map<string, Known>();
  for (const member of members) last.set(member.key, member);
  for (const member of members) {
    const { key } = member;
    const value = Object.hasOwn(edits, key) ? edits[key] : undefined;
    if (value === undefined) {
      if (last.get(key) === member) left.push({ member, value });
    } else if (value !== null && !done.has(key)) left.push({ member, value });
    if (value !== undefined) done.add(key);
  }
  const added: [string, string][] = [];
  for (const key in edits) if (edits[key] !== null && !done.has(key)) added.push([key, edits[key]!]);
  return { left, added };
}

function readMembers(text: string): { members: Member[]; bodyFrom: number; bodyTo: number } {
  const open = skipSpace(text, 0);
  expect(text, open, "{");
  const members: Member[] = [];
  let at = skipSpace(text, open + 1);
  if (text[at] === "}") return { members, bodyFrom: open + 1, bodyTo: at };
  for (let from = open + 1; ; from = at + 1) {
    const member = readMember(text, from);
    members.push(member);
    at = member.to;
    if (text[at] === "}") return { members, bodyFrom: open + 1, bodyTo: at };
    expect(text, at, ",");
  }
}

function readMember(text: string, from: number): Member {
  const keyFrom = skipSpace(text, from);
  expect(text, keyFrom, '"');
  const keyTo = stringEnd(text, keyFrom) + 1;
  const colon = skipSpace(text, keyTo);
  expect(text, colon, ":");
  const valueFrom = skipSpace(text, colon + 1);
  const valueTo = valueEnd(text, valueFrom);
  return { key: unescapeKey(text.slice(keyFrom, keyTo)), from, valueFrom, valueTo, to: skipSpace(text, valueTo) };
}

/** `"mod\u0065l"` is `model`: an escape must not bypass an edit. */
function unescapeKey(quoted: string): string {
  return quoted.includes("\\") ? (parseJson(quoted) as string) : quoted.slice(1, -1);
}

function expect(text: string, at: number, character: string): void {
  if (text[at] !== character) throw new SyntaxError(`JSON object expected: ${character} missing at ${at}`);
}

// Finds the end of a JSON string or value in text without parsing it, in linear time. Doesn't check the grammar: the text is parsed
// elsewhere.

const quote = 34; // "
const backslash = 92;

/** The index of the closing quote of the string whose opening quote is at `open`; -1 where there is none. */
export function stringEnd(text: string, open: number): number {
  // indexOf skips base64 at memory speed; only the backslashes right before a quote are checked one by one.
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (first - 1 > open && text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}

/** The depth that JSON.stringify and our own recursion can walk safely; real schemas and arguments are far shallower. */
const nestingMax = 1_000;

/** Whether the parsed text would be too deep to write again. Most texts don't contain that many brackets at all. */
export function nestsTooDeep(text: string): boolean {
  if (countOf(text, "{") + countOf(text, "[") <= nestingMax) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = stringEnd(text, at);
      if (at === -1) return false; // no JSON: the parser reports it
    } else if (code === 123 || code === 91) {
      if (++depth > nestingMax) return true;
    } else if (code === 125 || code === 93) depth -= 1;
  }
  return false;
}

function countOf(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= nestingMax; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/** The index after the value that starts at `start`. */
function valueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return afterString(text, start);
  if (code === 123 || code === 91) return afterBrackets(text, start);
  let at = start;
  while (at < text.length && !endsLiteral(text.charCodeAt(at))) at += 1;
  if (at === start) throw new SyntaxError("JSON value expected");
  return at;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function afterBrackets(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = afterString(text, at) - 1;
    else if (code === 123 || code === 91) depth += 1;
    else if ((code === 125 || code === 93) && --depth === 0) return at + 1;
  }
  throw new SyntaxError("JSON ends too early");
}

function afterString(text: string, open: number): number {
  const end = stringEnd(text, open);
  if (end === -1) throw new SyntaxError("JSON ends too early");
  return end + 1;
}

function endsLiteral(code: number): boolean {
  return code === 44 || code === 125 || code === 93 || isSpace(code);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}

// The text of a JSON object on its way to an upstream: a string, or, where it is too big to copy, its members as slices of the received
// bytes.

export type JsonText = string | JsonPieces;

/** In the order sent; white space outside the braces is left out. */
interface JsonPieces {
  members: readonly JsonPiece[];
}

/** Everything between two separators: `head` ends before the value, `tail` is the white space after it. */
interface JsonPiece {
  key: string;
  head: Buffer;
  value: Buffer;
  tail: Buffer;
}

/** The whole text, copied together where it came in pieces. */
export function wholeOf(text: JsonText): string {
  return typeof text === "string" ? text : Buffer.concat(buffersOf(text)).toString();
}

/** Longer texts are streamed: undici keeps a whole body until the last byte of the answer, and answers stream for minutes. */
const keptWholeMax = 32_768;

/** The text as a request's body. Pieces are written one by one, never joined. */
export function sentOf(text: JsonText): UpstreamRequest["body"] {
  if (typeof text === "string" && text.length <= keptWholeMax) return text;
  const buffers = typeof text === "string" ? [Buffer.from(text)] : buffersOf(text);
  return { length: buffers.reduce((sum, { length }) => sum + length, 0), open: () => streamOf(buffers) };
}

/** Lets go of each buffer once it is read. */
function streamOf(buffers: readonly Buffer[]): Readable {
  const left = [...buffers];
  return new Readable({
    read() {
      this.push(left.shift() ?? null);
    },
  });
}

const [open, comma, close] = [Buffer.from("{"), Buffer.from(","), Buffer.from("}")] as const;

function buffersOf({ members }: JsonPieces): Buffer[] {
  const buffers = members.flatMap(({ head, value, tail }, index) => [index === 0 ? open : comma, head, value, tail]);
  if (members.length === 0) buffers.push(open);
  buffers.push(close);
  return buffers.filter(({ length }) => length > 0);
}
