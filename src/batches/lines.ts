// The rows of a batch's lines, and the lines of its files that they become.
import type { Queries } from "../db/connect.ts";
import { inTransaction, type Db } from "../db/connect.ts";
import { uuidHex } from "../ids.ts";
import type { LineUsage } from "./batches.ts";
import type { Line } from "./read-input.ts";

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

export interface Ended {
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
