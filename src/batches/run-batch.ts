// The work on one batch, by the process that has its lease: its input is checked, its lines are run, its files are written. Whatever was
// done before a process died stays done: a line ends once, and its call has an idempotency key, so that it is charged once however often it
// is begun.
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { findKeyCaller } from "../accounts/accounts.ts";
import type { Context } from "../context.ts";
import { batchIdText, newRequestId, uuidv7 } from "../ids.ts";
import type { LineReply, LineRequest } from "../operation.ts";
import { type LineUsage, operationOf } from "./batches.ts";
import { openContent, storeFile } from "./files.ts";
import { bodyOf, endLine, endWaiting, insertLines, type Line, readInput, readResults, readWaiting, resultText } from "./lines.ts";

export interface ClaimedBatch {
  id: string;
  accountId: bigint;
  keyId: bigint;
  endpoint: keyof typeof operationOf;
  inputFileId: string;
  status: "validating" | "in_progress" | "finalizing" | "cancelling";
  createdAt: Date;
  expiresAt: Date;
  outputFileId: string | null;
  errorFileId: string | null;
  /** Of the two; null: 30 days. */
  keptSeconds: number | null;
}

export interface Running {
  batch: ClaimedBatch;
  /** Fires when no more lines may begin: it is cancelled, the lease is lost, or the process stops. */
  closing: AbortSignal;
  /** Fires when lines that run have to end at once. */
  stopping: AbortSignal;
  /** Whether the process still works on it; false: another one may, and nothing more is written. */
  isOurs(): boolean;
}

export async function runBatch(parts: BatchParts, running: Running): Promise<void> {
  const { batch } = running;
  if (batch.status === "validating" && !(await validate(parts, running))) return;
  if (batch.status !== "finalizing") await runLines(parts, running);
  if (!running.isOurs()) return;
  await finish(parts, running);
}

/** False: it has ended, or another process has it. */
async function validate(parts: BatchParts, { batch, isOurs }: Running): Promise<boolean> {
  const file = await openContent(parts, batch.inputFileId);
  const missing = { code: "file_not_found", message: "The input file is not there any more.", param: "input_file_id", line: null };
  const { lines, faults } = file === null ? { lines: [], faults: [missing] } : await readInput(file, batch.endpoint);
  if (!isOurs()) return false;
  if (faults.length === 0) {
    await insertLines(parts.db, batch.id, lines, parts.clock()); // false: it was cancelled, and has no lines
    return true;
  }
  await parts.db.pool.query(
    `update batch set status = 'failed', failed_at = $2, ended_at = $2, errors = $3, lease_until = null where id = $1 and status = 'validating'`,
    [batch.id, parts.clock(), JSON.stringify(faults)],
  );
  return isCancelled(parts, batch);
}

async function isCancelled({ db }: BatchParts, { id }: ClaimedBatch): Promise<boolean> {
  const { rowCount } = await db.pool.query("select 1 from batch where id = $1 and cancelling_at is not null", [id]);
  return rowCount === 1;
}

/** Lines of one batch that run at once. */
const atOnce = 8;
const readAtOnce = 100;

async function runLines(parts: BatchParts, running: Running): Promise<void> {
  const { batch, closing } = running;
  const isOver = () => closing.aborted || parts.clock() >= batch.expiresAt;
  let waiting: Line[] = [];
  let last = -1;
  let reading: Promise<void> | null = null;
  const next = async (): Promise<Line | undefined> => {
    if (waiting.length === 0) {
      reading ??= readWaiting(parts.db, batch.id, last, readAtOnce).then((lines) => {
        waiting = lines;
        last = lines.at(-1)?.seq ?? last;
        reading = null;
      });
      await reading;
    }
    return waiting.shift();
  };
  const work = async () => {
    for (;;) {
      if (isOver()) return;
      const line = await next();
      if (line === undefined) return;
      await runLine(parts, running, line, isOver);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** Failures of a provider may pass; a line is tried so often. */
const triesMax = 3;
/**
 * What says that the line has not begun, or that its call still runs: it waits for as long as its batch does. Lines that name one conversation run
 * one at a time.
 */
const waits = new Set<LineReply["code"]>(["rate_limit_exceeded", "overloaded", "idempotency_in_progress", "conversation_locked"]);
const pauseMaxMs = 30_000;

async function runLine(parts: BatchParts, running: Running, line: Line, isOver: () => boolean): Promise<void> {
  const { batch, closing, stopping } = running;
  const operation = operationOf[batch.endpoint];
  const idempotencyKey = `${batchIdText(batch.id)}:${line.seq}`;
  for (let tried = 1, pauseMs = parts.times.pauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    const requestId = newRequestId(parts.clock());
    const caller = await findKeyCaller(parts.db, batch.keyId);
    if (caller === undefined)
      return end(parts, running, line, null, { code: "invalid_api_key", message: "The batch's API key is not valid any more." });
    const body = await readBody(parts, batch, line);
    if (body === null) return end(parts, running, line, null, { code: "file_not_found", message: "The input file is not there any more." });
    const reply = await parts.answer({ operation, caller, requestId, body, idempotencyKey, stopping });
    if (stopping.aborted && reply.code !== null) return;
    const mayPass = waits.has(reply.code) || (reply.code !== null && reply.retryable && tried < triesMax);
    if (!mayPass) {
      const { usage = null, ...charged } = (await chargedFor(parts, batch, idempotencyKey)) ?? {};
      return end(parts, running, line, { ...reply, requestId, ...charged }, null, usage);
    }
    if (!waits.has(reply.code)) tried += 1;
    await sleep(Math.max(pauseMs, reply.retryAfterMs ?? 0), undefined, { signal: closing }).catch(() => undefined);
    if (isOver()) return;
  }
}

async function readBody(parts: BatchParts, batch: ClaimedBatch, { startsAt, bytes }: Line): Promise<Buffer | null> {
  const file = await openContent(parts, batch.inputFileId, { from: startsAt, to: startsAt + bytes - 1 });
  if (file === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of file.stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return bodyOf(Buffer.concat(chunks));
}

interface ChargedLine {
  requestId: string;
  usage: LineUsage;
}

/** The request that was charged: an earlier one, where its process died before it could write the answer down. */
async function chargedFor({ db }: BatchParts, { accountId, endpoint }: ClaimedBatch, key: string): Promise<ChargedLine | undefined> {
  const { rows } = await db.pool.query<{ requestId: string } & LineUsage>(
    `select l.request_id as "requestId", (l.input_tokens + l.cache_read_tokens + l.cache_write_tokens)::float8 as input,
       l.cache_read_tokens::float8 as cached, l.output_tokens::float8 as output, l.reasoning_tokens::float8 as reasoning
     from idempotency_key k
     join usage_log l on l.account_id = k.account_id and l.id = k.call_id and l.created_at = k.received_at
     where k.account_id = $1 and k.operation = $2 and k.key = $3`,
    [accountId, operationOf[endpoint], key],
  );
  if (rows[0] === undefined) return undefined;
  const { requestId, ...usage } = rows[0];
  return { requestId, usage };
}

async function end(
  parts: BatchParts,
  { batch, isOurs }: Running,
  { seq, customId }: Line,
  response: { status: number; requestId: string; body: string } | null,
  error: { code: string; message: string } | null,
  usage: LineUsage | null = null,
): Promise<void> {
  const isAnswered = response !== null && response.status < 400;
  const ended = { seq, isAnswered, result: resultText(batch.id, seq, customId, response, error), usage };
  // The answer is in memory alone, and kept with its key: another process gets it from there.
  for (let pauseMs = 100; ; pauseMs = Math.min(2 * pauseMs, pauseMaxMs)) {
    try {
      return await endLine(parts.db, batch.id, ended, parts.clock());
    } catch (cause) {
      if (!isOurs()) return;
      parts.onFault(cause, "writing the answer of a batch's line");
      await sleep(pauseMs);
    }
  }
}

const notRun = {
  cancelled: { code: "batch_cancelled", message: "The batch was cancelled before this request was run." },
  expired: { code: "batch_expired", message: "The batch's completion window was over before this request was run." },
};

/** Writes the files and ends the batch. May run again after a crash: its files have the ids that the batch has remembered. */
async function finish(parts: BatchParts, { batch, isOurs }: Running): Promise<void> {
  const { db } = parts;
  const how = (await isCancelled(parts, batch)) ? "cancelled" : parts.clock() >= batch.expiresAt ? "expired" : "completed";
  if (how !== "completed") await endWaiting(db, batch.id, notRun[how], parts.clock());
  else if ((await readWaiting(db, batch.id, -1, 1)).length > 0) return; // cancelled just now, or stopped
  const ids = { output: batch.outputFileId ?? uuidv7(parts.clock()), error: batch.errorFileId ?? uuidv7(parts.clock()) };
  const { rows } = await db.pool.query<{ outputFileId: string | null; errorFileId: string | null }>(
    `update batch set status = 'finalizing', finalizing_at = coalesce(finalizing_at, $2),
       output_file_id = case when completed > 0 then $3::uuid end, error_file_id = case when failed > 0 then $4::uuid end
     where id = $1 and ended_at is null returning output_file_id as "outputFileId", error_file_id as "errorFileId"`,
    [batch.id, parts.clock(), ids.output, ids.error],
  );
  const written = rows[0];
  if (written === undefined || !isOurs()) return;
  if (written.outputFileId !== null) await writeFile(parts, batch, written.outputFileId, true);
  if (written.errorFileId !== null) await writeFile(parts, batch, written.errorFileId, false);
  await db.pool.query(
    `update batch set status = $2, ${how}_at = $3, ended_at = $3, lease_until = null where id = $1 and ended_at is null`,
    [batch.id, how, parts.clock()],
  );
  await db.pool.query("delete from batch_line where batch_id = $1", [batch.id]);
}

async function writeFile(
  parts: BatchParts,
  { id, accountId, keptSeconds }: ClaimedBatch,
  fileId: string,
  isAnswered: boolean,
): Promise<void> {
  await parts.media.withTempFile(async (path) => {
    const lines = async function* () {
      for await (const results of readResults(parts.db, id, isAnswered)) yield results.map((result) => `${result}\n`).join("");
    };
    const target = createWriteStream(path, { flags: "wx", mode: 0o600 });
    await pipeline(lines, target);
    const filename = `${batchIdText(id)}_${isAnswered ? "output" : "error"}.jsonl`;
    await storeFile(parts, {
      id: fileId,
      accountId,
      purpose: "batch_output",
      filename,
      path,
      bytes: target.bytesWritten,
      keptSeconds: keptSeconds ?? undefined,
    });
  });
}

/** Answers a request as its endpoint would. Never rejects. */
type AnswerLine = (request: LineRequest) => Promise<LineReply>;

export interface BatchTimes {
  /** How often a process looks for batches. */
  lookMs: number;
  leaseMs: number;
  /** Before a line that failed for a moment is tried again, doubled each time. */
  pauseMs: number;
}

export interface BatchParts extends Pick<Context, "db" | "clock" | "media" | "log"> {
  /** Of this process. */
  owner: string;
  answer: AnswerLine;
  onFault: (error: unknown, what: string) => void;
  times: BatchTimes;
}
