// Reads a batch's input file: its lines, what is wrong with them, and one line's request again when its turn comes.
import type { components } from "../../generated/api.d.ts";
import { operations } from "../../generated/operations.ts";
import type { OpenFile } from "../media/types.ts";
import { isObject, parseExact } from "../providers/json/read.ts";
import { operationOf } from "./batches.ts";

export type Fault = components["schemas"]["BatchFault"];

export interface Line {
  seq: number;
  /** Where it is in the file, without its end. */
  startsAt: number;
  bytes: number;
  customId: string;
}

const linesMax = 50_000;
/** Of one line beside its body. */
const besideBody = 16 * 1024;
const customIdMax = 512;
const faultsShown = 20;

/** The lines, or the first faults. Lines of white space count for nothing. */
export async function readInput(file: OpenFile, endpoint: keyof typeof operationOf): Promise<{ lines: Line[]; faults: Fault[] }> {
  const bytesMax = operations[operationOf[endpoint]].bodyMax + besideBody;
  const lines: Line[] = [];
  const faults: Fault[] = [];
  const known = new Set<string>();
  let number = 0;
  const take = (startsAt: number, bytes: Buffer) => {
    number += 1;
    const text = bytes.toString();
    if (text.trim() === "") return;
    const checked = checkLine(text, endpoint, known);
    if ("customId" in checked) lines.push({ seq: lines.length, startsAt, bytes: bytes.length, customId: checked.customId });
    else faults.push({ ...checked, line: number });
  };
  for await (const found of linesOf(file, bytesMax)) {
    if (found.bytes === null) faults.push({ ...fault("line_too_long", `A line has more than ${bytesMax} bytes.`), line: (number += 1) });
    else take(found.startsAt, found.bytes);
    if (lines.length > linesMax) faults.push({ ...fault("too_many_requests", `The file has more than ${linesMax} requests.`), line: null });
    if (faults.length >= faultsShown || lines.length > linesMax) break;
  }
  if (lines.length === 0 && faults.length === 0) faults.push({ ...fault("empty_file", "The file has no requests."), line: null });
  return { lines, faults };
}

/** `bytes` null: it is longer than it may be, and the last that is read. */
async function* linesOf({ stream }: OpenFile, bytesMax: number): AsyncGenerator<{ startsAt: number; bytes: Buffer | null }> {
  const newline = 0x0a;
  let parts: Buffer[] = [];
  let length = 0;
  let startsAt = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      const bytes = Buffer.concat([...parts, chunk.subarray(from, end)]);
      yield { startsAt, bytes: bytes.length > bytesMax ? null : bytes };
      startsAt += bytes.length + 1;
      [parts, length, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length <= bytesMax) continue;
    yield { startsAt, bytes: null };
    return;
  }
  if (length > 0) yield { startsAt, bytes: Buffer.concat(parts) };
}

const fault = (code: string, message: string, param: string | null = null): Omit<Fault, "line"> => ({ code, message, param });

function checkLine(text: string, endpoint: string, known: Set<string>): { customId: string } | Omit<Fault, "line"> {
  const line = parsed(text);
  if (!isObject(line)) return fault("invalid_json_line", "The line is not a JSON object.");
  const { custom_id: customId, method, url, body } = line;
  if (typeof customId !== "string" || customId === "" || customId.length > customIdMax)
    return fault("invalid_custom_id", `custom_id must be a text of 1 to ${customIdMax} characters.`, "custom_id");
  if (customId.includes("\0")) return fault("invalid_custom_id", "custom_id must not contain the NUL character.", "custom_id");
  if (known.has(customId)) return fault("duplicate_custom_id", "Another line has the same custom_id.", "custom_id");
  known.add(customId);
  if (method !== "POST") return fault("invalid_method", "method must be POST.", "method");
  if (url !== endpoint) return fault("mismatched_url", `url must be the batch's endpoint, ${endpoint}.`, "url");
  if (!isObject(body)) return fault("invalid_body", "body must be an object.", "body");
  return { customId };
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** The body of a line that was checked, its numbers as they were written. */
export function bodyOf(line: Buffer): Buffer {
  return Buffer.from(JSON.stringify((parseExact(line.toString()) as { body: unknown }).body));
}
