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
export function valueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return afterString(text, start);
  if (code === 123 || code === 91) return afterBrackets(text, start);
  let at = start;
  while (at < text.length && !endsLiteral(text.charCodeAt(at))) at += 1;
  if (at === start) throw new SyntaxError("JSON value expected");
  return at;
}

export function skipSpace(text: string, start: number): number {
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
