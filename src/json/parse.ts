// Replaces JSON.parse: V8 from Node 24 on misreads keys that are written with an escape, once it has met a key with a
// backslash at their place (the gateway's docs/v8-json-escaped-keys.md). Our own parser reads texts with such a key, V8's all others.

/** Like JSON.parse: the same values, and a SyntaxError for text that is not JSON. */
export function parseJson(text: string): unknown {
  return hasEscapedKey(text) ? readJson(text, Number) : (JSON.parse(text) as unknown);
}

const [quote, backslash] = [0x22, 0x5c];

/**
 * Whether a key is written with an escape. Runs on every text, most of which contain escapes: the search jumps from an escape to the next
 * colon and checks what precedes it. For a text that is not JSON the result may be either.
 */
export function hasEscapedKey(text: string): boolean {
  let escape = text.indexOf("\\");
  let colon = escape === -1 ? -1 : text.indexOf(":", escape);
  while (colon !== -1) {
    let before = colon - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    colon += 1;
    if (text.charCodeAt(before) === quote && !isEscaped(text, before)) {
      if (followsEscape(text, before)) return true;
      // A string ends or begins here: the next relevant string is the one with the next escape.
      if (escape < colon) escape = text.indexOf("\\", colon);
      if (escape === -1) return false;
      colon = escape;
    }
    colon = text.indexOf(":", colon);
  }
  return false;
}

/** Whether there is an escape between this quote and the previous one, which may itself be escaped. */
function followsEscape(text: string, end: number): boolean {
  for (let at = end - 1; at >= 0; at -= 1) {
    const unit = text.charCodeAt(at);
    if (unit === backslash) return true;
    if (unit === quote) return isEscaped(text, at);
  }
  return false;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (at - first) % 2 === 1;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** An object or array whose end is still to come. */
type Open = { array: unknown[] } | { object: Record<string, unknown>; key: string };

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const words: readonly (readonly [string, unknown])[] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** Reads any JSON text; `numberOf` turns a number's text into its value. Without recursion, so that a text may be nested to any depth. */
export function readJson(text: string, numberOf: (source: string) => unknown): unknown {
  const open: Open[] = [];
  let at = afterSpace(text, 0);
  for (;;) {
    let value: unknown;
    if (text[at] === "{") {
      const object = emptyObject();
      at = afterSpace(text, at + 1);
      if (text[at] !== "}") {
        open.push({ object, key: takeKey() });
        continue;
      }
      at += 1;
      value = finished(object);
    } else if (text[at] === "[") {
      at = afterSpace(text, at + 1);
      if (text[at] !== "]") {
        open.push({ array: [] });
        continue;
      }
      at += 1;
      value = [];
    } else value = takeLeaf();

    for (;;) {
      at = afterSpace(text, at);
      const holder = open.at(-1);
      if (holder === undefined) return at === text.length ? value : fail(at);
      const isArray = "array" in holder;
      put(holder, value);
      const separator = text[at];
      if (separator === ",") {
        at = afterSpace(text, at + 1);
        if (!isArray) holder.key = takeKey();
        break;
      }
      if (separator !== (isArray ? "]" : "}")) fail(at);
      at += 1;
      open.pop();
      value = isArray ? holder.array : finished(holder.object);
    }
  }

  function takeKey(): string {
    const key = takeString();
    at = afterSpace(text, at);
    if (text[at] !== ":") fail(at);
    at = afterSpace(text, at + 1);
    return key;
  }

  function takeLeaf(): unknown {
    if (text[at] === '"') return takeString();
    const known = words.find(([word]) => text.startsWith(word, at));
    if (known !== undefined) {
      at += known[0].length;
      return known[1];
    }
    numberPattern.lastIndex = at;
    const source = numberPattern.exec(text)?.[0] ?? fail(at);
    at += source.length;
    return numberOf(source);
  }

  function takeString(): string {
    const start = at;
    at = endOfString(text, start);
    return unquoted(text, start, at);
  }
}

function put(holder: Open, value: unknown): void {
  if ("array" in holder) holder.array.push(value);
  else holder.object[holder.key] = value;
}

function endOfString(text: string, start: number): number {
  if (text[start] !== '"') fail(start);
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? fail(text.length) : end + 1;
}

function unquoted(text: string, start: number, end: number): string {
  try {
    return JSON.parse(text.slice(start, end)) as string; // no key
  } catch {
    return fail(start);
  }
}

function afterSpace(text: string, from: number): number {
  let next = from;
  while (isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

function fail(position: number): never {
  throw new SyntaxError(`Unexpected character in JSON at position ${position}`);
}

/**
 * Without a prototype, __proto__ is an ordinary key. Without a hidden class (Object.create makes none), none of its keys enters the cache
 * from which V8 would misread another text.
 */
const emptyObject = () => Object.create(null) as Record<string, unknown>;

function finished(object: Record<string, unknown>): object {
  return Object.setPrototypeOf(object, Object.prototype) as object;
}
