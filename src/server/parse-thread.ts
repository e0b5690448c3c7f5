// The thread that parses big JSON bodies for big-json.ts: everything that takes time in proportion to a body. It returns the bytes with
// its findings; long strings stay in the bytes, so that they are copied only when they are read.
import { constants, getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { ErrorCode } from "../../generated/errors.ts";
import { ApiError, type FailDetails } from "../errors/fail.ts";
import { type Outline, outlineOf, type StringSpan } from "./json-outline.ts";
import { type ReadHeaders, readJson, type ReadOperation } from "./parse-json.ts";

export interface ParseOrder {
  operation: ReadOperation;
  headers: ReadHeaders;
  /** Moved here, and back again. */
  bytes: Uint8Array<ArrayBuffer>;
}

export type ParseAnswer = { model: string | null } & (
  | { bytes: Uint8Array<ArrayBuffer>; value: unknown; heapBytes: number; outline: Found }
  | { refusal: { code: ErrorCode; details: FailDetails } }
  | { fault: unknown }
);

/** Null: there are too many to list. */
interface Found {
  members: Outline["members"] | null;
  strings: Outline["strings"];
}

/** Copying fewer bytes costs next to nothing. */
const longBytes = 65_536;
/** No operation has as many members; the text of such a body is copied. */
const membersMax = 256;

function answer({ operation, headers, bytes }: ParseOrder): [ParseAnswer, ArrayBuffer[]] {
  let model: string | null = null;
  try {
    const content = readJson(operation, headers, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), (found) => (model = found));
    const outline = outlineOf(content.bytes, longBytes);
    const value = content.value as object;
    // Last one first: of members with the same name the last one counts.
    const strings = outline.strings.reverse().filter((span) => takeOut(value, span));
    const members = outline.members.length > membersMax ? null : outline.members;
    const body = content.bytes as Uint8Array<ArrayBuffer>;
    return [{ model, bytes: body, value, heapBytes: content.heapBytes, outline: { members, strings } }, [body.buffer]];
  } catch (thrown) {
    if (thrown instanceof ApiError) return [{ model, refusal: { code: thrown.code, details: thrown.details } }, []];
    return [{ model, fault: thrown }, []];
  }
}

/** False if the value has something else at that path, because a later member had the same name. */
function takeOut(value: object, { path }: StringSpan): boolean {
  let holder: unknown = value;
  for (const step of path.slice(0, -1)) holder = isHolder(holder) && Object.hasOwn(holder, step) ? holder[step] : undefined;
  const last = path.at(-1)!;
  if (!isHolder(holder) || !Object.hasOwn(holder, last)) return false;
  const found = holder[last];
  if (typeof found !== "string" || found.length < longBytes) return false;
  holder[last] = null;
  return true;
}

function isHolder(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}

/** With few cores, small requests take precedence; big ones have as long as that takes (big-json.ts). Only Linux has a priority for one thread: elsewhere it would be the whole process's. */
if (process.platform === "linux")
  setPriority(Math.min(getPriority() + constants.priority.PRIORITY_BELOW_NORMAL, constants.priority.PRIORITY_LOW));
parentPort!.on("message", (order: ParseOrder) => parentPort!.postMessage(...answer(order)));
