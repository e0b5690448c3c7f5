// Parses a request body as JSON and checks content type, encoding, nesting and NUL characters. The generated validators check fields.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { Operation, OperationId } from "../../generated/operations.ts";
import { bodies } from "../../generated/validators.js";
import { fail } from "../errors/fail.ts";
import { parseJson } from "../json/parse.ts";
import type { JsonText } from "../providers/json/splice.ts";
import { isCompressed } from "./content-coding.ts";
import { failInvalid, pathName } from "./invalid.ts";

/** Deeper than any schema or tool argument goes, and far below where recursive code runs out of stack. */
const nestingMax = 200;

/** A value of two or three bytes takes up to 80 of the heap: this bounds one body at some 100 MB, far above any real request. */
const valuesMax = 1_000_000;
/** Heap bytes, roughly, of an element's slot and its value. An object or array takes as much again and is counted separately. */
const valueBytes = 32;

/**
 * The body's bytes, text and value, and roughly the value's heap size. Throws invalid_json, request_too_large, or
 * invalid_parameter naming a string that contains a NUL.
 * `prompts` are the top-level fields where a NUL is accepted; `mediaTypes` are all that the operation accepts, for the refusal of others.
 */
export function parseBody(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
  prompts: readonly string[] = [],
  mediaTypes: readonly string[] = ["application/json"],
): { bytes: Buffer; text: string; value: unknown; heapBytes: number } {
  assertJsonContent(headers, mediaTypes);
  const body = withoutByteOrderMark(bytes);
  if (body.length === 0) failJson("the body is empty");
  if (!isUtf8(body)) failJson("the body is not UTF-8");
  const text = body.toString("utf8");
  const values = assertBounded(text, { levels: nestingMax, values: valuesMax });
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) failJson(`it is ${kindOf(value)}`);
  // Only as an escape does a NUL pass the parser, and Postgres text can't hold one.
  if (text.includes("\\u0000")) assertNoNul(without(value, prompts), []);
  return { bytes: body, text, value, heapBytes: values * valueBytes };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // V8's message may quote the body around the fault; only the position is used, so that prompts stay out of messages and logs.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    return failJson(
      position === undefined ? "it ends too early or holds an unexpected character" : `unexpected character at position ${position}`,
    );
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function assertJsonContent(headers: IncomingHttpHeaders, mediaTypes: readonly string[]): void {
  if (headers["content-encoding"] !== undefined && isCompressed(headers))
    failJson("compressed bodies are not supported, send it without content-encoding");
  if (headers["content-type"] === "application/json") return;
  const type = headers["content-type"]?.toLowerCase();
  if (type === undefined) return;
  const [media = "", ...parameters] = type.split(";").map((part) => part.trim());
  if (media !== "application/json" && !media.endsWith("+json")) failJson(`the content-type must be ${mediaTypes.join(" or ")}`);
  const charset = parameters
    .find((parameter) => parameter.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  if (charset !== undefined && !["utf-8", "utf8", "us-ascii"].includes(charset)) failJson("the charset must be utf-8");
}

function failJson(reason: string): never {
  return fail("invalid_json", { text: { reason } });
}

function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/**
 * Bounds the value before it is parsed: a hostile body's value must not be created or walked. Returns the number of objects, arrays and
 * commas in the text; if there are few, those in strings are included.
 */
export function assertBounded(text: string, { levels, values }: { levels: number; values: number }): number {
  // Most bodies don't contain that many of these characters, and counting them is a native search.
  const opened = count(text, "{", values) + count(text, "[", values);
  const total = opened + (opened <= levels ? count(text, ",", values) : 0);
  if (opened <= levels && total <= values) return total;
  const { depth, size } = measure(text, levels, values);
  if (depth > levels) failJson(`objects and arrays are nested more than ${levels} levels deep`);
  if (size > values)
    fail("request_too_large", { text: { reason: `it has too many values; at most ${values.toLocaleString("en-US")} are allowed` } });
  return size;
}

/** Stops when the count exceeds `enough`. */
function count(text: string, character: string, enough: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0 && found <= enough; at = text.indexOf(character, at + 1)) found++;
  return found;
}

/** The deepest nesting, and the number of objects, arrays and commas outside strings; stops when one of them is too large. */
function measure(text: string, levels: number, values: number): { depth: number; size: number } {
  let depth = 0;
  let deepest = 0;
  let size = 0;
  for (let at = 0; at < text.length && deepest <= levels && size <= values; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote) at = endOfString(text, at);
    else if (unit === 0x7b || unit === 0x5b) {
      size++;
      if (++depth > deepest) deepest = depth;
    } else if (unit === 0x7d || unit === 0x5d) depth--;
    else if (unit === comma) size++;
  }
  return { depth: deepest, size };
}

/** The index of the quote that closes a string; the text's length if there is none. */
function endOfString(text: string, opening: number): number {
  let at = opening + 1;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quote) break;
  }
  return at;
}

function without(value: object, fields: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !fields.includes(key)));
}

/** Recursion is safe here: the nesting has been bounded. */
function assertNoNul(value: unknown, path: readonly (string | number)[]): void {
  if (typeof value === "string") {
    if (value.includes("\0")) fail("invalid_parameter", nulDetails(pathName(path)));
  } else if (Array.isArray(value)) {
    value.forEach((element, index) => assertNoNul(element, [...path, index]));
  } else if (typeof value === "object" && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      if (key.includes("\0")) fail("invalid_parameter", nulDetails(pathName(path) || null));
      assertNoNul(field, [...path, key]);
    }
  }
}

export function nulDetails(param: string | null) {
  return { param, text: { param: param ?? "A field name", reason: "the NUL character is not allowed" } };
}

// Turns the bytes of a JSON body into what a handler gets: parsed, validated against its operation's schema, its text ready to be
// forwarded. Small bodies are parsed at once, big ones in a thread (parse-thread.ts).

/** A model id is logged only if it looks like one: a prompt put into the wrong field must not be logged. */
export function loggableModel(body: unknown): string | null {
  const model = typeof body === "object" && body !== null ? (body as { model?: unknown }).model : undefined;
  return typeof model === "string" && /^[\w.:/@-]{1,128}$/.test(model) ? model : null;
}

export interface JsonContent {
  /** As received, without a byte order mark. */
  bytes: Buffer;
  text: JsonText;
  value: unknown;
  /** Of the value, roughly. */
  heapBytes: number;
}

export type ReadOperation = Pick<Operation, "id" | "bodies">;
export type ReadHeaders = Pick<IncomingHttpHeaders, "content-type" | "content-encoding">;

/** Calls `found` with the model before it may refuse the body for its fields. Throws ApiError. */
export function readJson(
  { id, bodies: mediaTypes }: ReadOperation,
  headers: ReadHeaders,
  bytes: Buffer,
  found: (model: string | null) => void,
): JsonContent {
  const content = parseBody(bytes, headers, promptFields[id], mediaTypes);
  found(loggableModel(content.value));
  const validate = bodies[id];
  if (validate !== undefined && !validate(content.value)) failInvalid(validate.errors ?? []);
  if (id === "createQuote") checkQuoted(content.value as { operation: OperationId; body: object }, content.text);
  return content;
}

/** What is quoted is checked as its own operation does. */
function checkQuoted({ operation, body }: { operation: OperationId; body: object }, text: string): void {
  if (text.includes("\\u0000")) assertNoNul(without(body, promptFields[operation] ?? []), ["body"]);
  const validate = bodies[operation];
  if (validate !== undefined && !validate(body)) failInvalid(validate.errors ?? [], { inside: ["body"] });
}

// Which top-level fields of a body are only forwarded to a model and stored nowhere. They may contain a NUL: agents send a command's
// output, and a refused history would be refused again with every later turn. Prompts of media jobs are stored: src/jobs/plan-media.ts
// refuses a NUL in them with a code of its own.

const promptFields: Partial<Record<OperationId, readonly string[]>> = {
  createChatCompletion: ["messages"],
  createMessage: ["messages", "system"],
  countMessageTokens: ["messages", "system"],
  createResponse: ["input", "instructions"],
  countResponseTokens: ["input", "instructions"],
  compactResponse: ["input", "instructions"],
  createCompletion: ["prompt"],
  createEmbeddings: ["input"],
  createRerank: ["query", "documents"],
  createImage: ["prompt"],
  createVideo: ["prompt"],
  createDecision: ["state"],
  createSystemOneDecision: ["state"],
  createQuote: ["body"], // checked as its own operation's
};
