// A multipart form that was sent (RFC 7578): its fields as texts, its files as views of the body, and both as the record of calls
// shows them. As strict as real hosts: a form that isn't written properly is refused.
import type { SentPart } from "./protocol.ts";
import { refuse } from "./request-fields.ts";

export interface SentFile {
  /** Of the field. */
  name: string;
  fileName: string;
  contentType: string;
  bytes: Buffer;
}

export interface SentForm {
  /** In the order in which they came; a name may come again. */
  fields: readonly (readonly [string, string])[];
  files: readonly SentFile[];
  parts: readonly SentPart[];
}

/** Of one part's head. */
const headBytesMax = 16 * 1024;
const partsMax = 1000;

export function readForm(body: Buffer, contentType: string): SentForm {
  const boundary = readBoundary(contentType);
  const fields: [string, string][] = [];
  const files: SentFile[] = [];
  const parts: SentPart[] = [];
  for (const { head, bytes } of split(body, boundary)) {
    const { name, fileName, contentType: type } = readHead(head);
    if (fileName === null) {
      const text = bytes.toString();
      fields.push([name, text]);
      parts.push({ name, text, fileName: null, contentType: null, bytes: bytes.length });
    } else {
      files.push({ name, fileName, contentType: type, bytes });
      parts.push({ name, text: null, fileName, contentType: type, bytes: bytes.length });
    }
  }
  return { fields, files, parts };
}

function readBoundary(contentType: string): string {
  if (!contentType.toLowerCase().startsWith("multipart/form-data")) {
    refuse(null, "Unsupported content type: expected 'multipart/form-data'.", "unsupported_content_type");
  }
  const match = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? malformed();
}

/** Each part up to the line that ends the form; nothing before the first, and no part without an end. */
function* split(body: Buffer, boundary: string): Iterable<{ head: string; bytes: Buffer }> {
  const between = Buffer.from(`\r\n--${boundary}`);
  if (!body.subarray(0, between.length - 2).equals(between.subarray(2))) malformed();
  let at = between.length - 2;
  for (let count = 0; count <= partsMax; count += 1) {
    const lineEnd = body.toString("latin1", at, at + 2);
    if (lineEnd === "--") return;
    const headEnds = body.subarray(at, at + headBytesMax).indexOf("\r\n\r\n");
    if (lineEnd !== "\r\n" || headEnds < 0) malformed();
    const begins = at + headEnds + 4;
    const ends = body.indexOf(between, begins);
    if (ends < 0) malformed();
    yield { head: body.toString("utf8", at + 2, begins - 4), bytes: body.subarray(begins, ends) };
    at = ends + between.length;
  }
  malformed();
}

function readHead(head: string): { name: string; fileName: string | null; contentType: string } {
  const lines = new Map(
    head.split("\r\n").map((line) => {
      const colon = line.indexOf(":");
      return colon < 1 ? malformed() : [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const disposition = lines.get("content-disposition") ?? "";
  if (!disposition.toLowerCase().startsWith("form-data;")) malformed();
  const name = parameterOf(disposition, "name");
  return {
    name: name ?? malformed(),
    fileName: parameterOf(disposition, "filename"),
    contentType: lines.get("content-type") ?? "text/plain",
  };
}

/** Quoted, with the three characters escaped that would end it. */
function parameterOf(disposition: string, parameter: string): string | null {
  const value = new RegExp(`; *${parameter}="([^"\\r\\n]*)"`).exec(disposition)?.[1];
  return value === undefined ? null : value.replace(/%22/g, '"').replace(/%0d/gi, "\r").replace(/%0a/gi, "\n");
}

function malformed(): never {
  refuse(null, "We could not parse your multipart form.");
}
