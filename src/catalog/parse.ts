// Parses the YAML or JSON of a catalog file into plain values, with the line of each. Bytes, anchors and depth are bounded.
// file.ts and check.ts validate the values.
import { LRUCache } from "lru-cache";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Path, Problem } from "./file.ts";

/** Some 10,000 models; more is a wrong file. */
export const fileBytesMax = 4_000_000;

export interface Parsed {
  value: unknown;
  /** Syntax errors; `value` is undefined when there are any. */
  problems: Problem[];
  /** Line of the key or element at `path`; where that is missing, of the nearest thing around it. */
  lineOf: (path: Path) => number;
}

/**
 * The values of texts without a syntax error: a start, a check and a reload each read the same one again, which takes 40 ms for the shipped
 * catalog. Callers get a copy.
 */
const read = new LRUCache<string, { value: unknown }>({ max: 4 });
const readCharactersMax = 200_000;

/** JSON is read as the YAML that it is. */
export function parseCatalogText(text: string): Parsed {
  const known = read.get(text);
  if (known === undefined) return parseAfresh(text);
  let lines: Parsed | undefined; // only faults ask for them
  return { value: structuredClone(known.value), problems: [], lineOf: (path) => (lines ??= parseAfresh(text)).lineOf(path) };
}

function parseAfresh(text: string): Parsed {
  if (Buffer.byteLength(text) > fileBytesMax) return failed(1, `the file is larger than ${fileBytesMax} bytes`);
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const problems = document.errors.map(({ message, pos }) => ({ line: lines.linePos(pos[0]).line, message: sentence(message) }));
    if (problems.length > 0) return { value: undefined, problems, lineOf: () => 1 };
    const value = plainValues(document);
    if (text.length <= readCharactersMax) read.set(text, { value: structuredClone(value) });
    return { value, problems: [], lineOf: (path) => lineAt(document, lines, path) };
  } catch (error) {
    return failed(
      1,
      error instanceof RangeError
        ? "the file is nested too deeply"
        : error instanceof BadAlias
          ? error.message
          : `the file cannot be read as YAML: ${String(error)}`,
    );
  }
}

/** Each use of an anchor copies what it names: a hundred are plenty for an honest file, and stop one that grows by doubling. */
const aliasesMax = 100;

class BadAlias extends Error {}

function plainValues(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: aliasesMax });
  } catch (error) {
    throw error instanceof ReferenceError ? new BadAlias(sentence(error.message)) : error;
  }
}

function failed(line: number, message: string): Parsed {
  return { value: undefined, problems: [{ line, message }], lineOf: () => line };
}

function sentence(message: string): string {
  return message.replace(/\s+/g, " ").replace("; please use YAML.parseAllDocuments()", "");
}

function lineAt(document: Document, lines: LineCounter, path: Path): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : String(key)) === String(step));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number" && step < node.items.length) {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
