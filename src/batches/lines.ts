// The lines of a batch: read from its input file, with what is wrong with them, each again when its turn comes; their rows, and the lines
// of its files that they become.
import type { components } from "../../generated/api.d.ts";
import { operations } from "../../generated/operations.ts";
import { type Db, inTransaction, type Queries } from "../db/connect.ts";
import { uuidHex } from "../ids.ts";
import type { OpenFile } from "../media/types.ts";
import { isObject, parseExact } from "../providers/json/read.ts";
import { type LineUsage, operationOf } from "./batches.ts";

const rowsAtOnce = 1_000;

/** All or nothing: false where the batch was not waiting for it. */
export async function insertLines(db: Db, batchId: string, lines: readonly Line[], at: Date): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { rowCount } = await transaction.pool.query(
      "update batch set status = 'in_progress', in_progress_at = $2, total = $3 where id = $1 and status = 'validating'",
      [batchId, at, lines.length],
    );
    if (rowCount === 0) return false;
    for (let from = 0; from < lines.length; from += rowsAtOnce) {
      const some = lines.slice(from, from + rowsAtOnce);
      await transaction.pool.query(
        `insert into batch_line (batch_id, seq, starts_at, bytes, custom_id)
         select $1, * from unnest($2::int[], $3::bigint[], $4::int[], $5::text[])`,
        [
          batchId,
          some.map(({ seq }) => seq),
          some.map(({ startsAt }) => startsAt),
          some.map(({ bytes }) => bytes),
          some.map(({ customId }) => customId),
        ],
      );
    }
    return true;
  });
}

export async function readWaiting({ pool }: Queries, batchId: string, after: number, most: number): Promise<Line[]> {
  const { rows } = await pool.query<Line>(
    `select seq, starts_at::float8 as "startsAt", bytes, custom_id as "customId" from batch_line
     where batch_id = $1 and ended_at is null and seq > $2 order by seq limit $3`,
    [batchId, after, most],
  );
  return rows;
}

interface Ended {
  seq: number;
  isAnswered: boolean;
  result: string;
  /** Null: nothing. */
  usage: LineUsage | null;
}

/** The first end counts. */
export async function endLine({ pool }: Queries, batchId: string, { seq, isAnswered, result, usage }: Ended, at: Date): Promise<void> {
  await pool.query(
    `with ended as (update batch_line set ended_at = $3, is_answered = $4, result = $5 where batch_id = $1 and seq = $2 and ended_at is null
       returning is_answered)
     update batch b set completed = completed + is_answered::int, failed = failed + (not is_answered)::int,
       input_tokens = input_tokens + $6, cached_tokens = cached_tokens + $7, output_tokens = output_tokens + $8,
       reasoning_tokens = reasoning_tokens + $9 from ended where b.id = $1`,
    [batchId, seq, at, isAnswered, result, usage?.input ?? 0, usage?.cached ?? 0, usage?.output ?? 0, usage?.reasoning ?? 0],
  );
}

/** Lines that were not run. */
export async function endWaiting(db: Db, batchId: string, error: { code: string; message: string }, at: Date): Promise<void> {
  for (;;) {
    const waiting = await readWaiting(db, batchId, -1, rowsAtOnce);
    const results = waiting.map(({ seq, customId }) => resultText(batchId, seq, customId, null, error));
    await db.pool.query(
      `with ended as (update batch_line l set ended_at = $4, is_answered = false, result = e.result
         from unnest($2::int[], $3::text[]) e(seq, result) where l.batch_id = $1 and l.seq = e.seq and l.ended_at is null returning 1)
       update batch set failed = failed + (select count(*)::int from ended) where id = $1`,
      [batchId, waiting.map(({ seq }) => seq), results, at],
    );
    if (waiting.length < rowsAtOnce) return;
  }
}

/** A line of the output or the error file, as OpenAI writes them; `response` with its body as text. */
export function resultText(
  batchId: string,
  seq: number,
  customId: string,
  response: { status: number; requestId: string; body: string } | null,
  error: { code: string; message: string } | null,
): string {
  const id = `batch_req_${uuidHex(batchId)}${seq.toString(16).padStart(4, "0")}`;
  const shown =
    response === null
      ? "null"
      : `{"status_code":${response.status},"request_id":${JSON.stringify(response.requestId)},"body":${response.body}}`;
  return `{"id":"${id}","custom_id":${JSON.stringify(customId)},"response":${shown},"error":${JSON.stringify(error)}}`;
}

/** The results of one file, in the order of the lines. */
export async function* readResults({ pool }: Queries, batchId: string, isAnswered: boolean): AsyncGenerator<string[]> {
  for (let after = -1; ;) {
    const { rows } = await pool.query<{ seq: number; result: string }>(
      "select seq, result from batch_line where batch_id = $1 and is_answered = $2 and seq > $3 order by seq limit 20",
      [batchId, isAnswered, after],
    );
    if (rows.length === 0) return;
    yield rows.map(({ result }) => result);
    after = rows.at(-1)!.seq;
  }
}

type Fault = components["schemas"]["BatchFault"];

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
