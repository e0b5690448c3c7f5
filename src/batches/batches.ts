// Batches as callers see them: created, read, listed, cancelled. run-batch.ts does their work.
import type { components } from "../../generated/api.d.ts";
import type { OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import { lockForCaller } from "../accounts/users.ts";
import { unixSeconds, wholeSecond } from "../clock.ts";
import type { Context } from "../context.ts";
import { inTransaction, type Queries } from "../db/connect.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { batchIdText, cutId, fileIdText, parseBatchId, uuidv7 } from "../ids.ts";
import { findFile } from "./files.ts";

type Shown = components["schemas"]["Batch"];

/** Of each endpoint that a batch may name. */
export const operationOf: Record<Shown["endpoint"], OperationId> = {
  "/v1/chat/completions": "createChatCompletion",
  "/v1/responses": "createResponse",
  "/v1/embeddings": "createEmbeddings",
  "/v1/completions": "createCompletion",
};

const windowMs = 24 * 60 * 60 * 1000;
/** Of a workspace, that have not ended. */
const openMax = 20;

type Times = Record<
  | "createdAt"
  | "expiresAt"
  | "inProgressAt"
  | "finalizingAt"
  | "completedAt"
  | "failedAt"
  | "expiredAt"
  | "cancellingAt"
  | "cancelledAt"
  | "endedAt",
  Date | null
>;

/** What lines used; `input` with `cached`, `output` with `reasoning`. */
export interface LineUsage {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

interface BatchRow extends Times, LineUsage {
  id: string;
  endpoint: Shown["endpoint"];
  inputFileId: string;
  metadata: Record<string, string> | null;
  status: Shown["status"];
  errors: NonNullable<Shown["errors"]>["data"] | null;
  total: number;
  completed: number;
  failed: number;
  outputFileId: string | null;
  errorFileId: string | null;
}

const columns = `id, endpoint, input_tokens::float8 as input, cached_tokens::float8 as cached, output_tokens::float8 as output,
  reasoning_tokens::float8 as reasoning, input_file_id as "inputFileId", metadata, status, errors, total, completed, failed, output_file_id as "outputFileId",
  error_file_id as "errorFileId", created_at as "createdAt", expires_at as "expiresAt", in_progress_at as "inProgressAt",
  finalizing_at as "finalizingAt", completed_at as "completedAt", failed_at as "failedAt", expired_at as "expiredAt",
  cancelling_at as "cancellingAt", cancelled_at as "cancelledAt", ended_at as "endedAt"`;

interface NewBatch {
  caller: Pick<Caller, "accountId" | "keyId">;
  inputFileId: string;
  endpoint: Shown["endpoint"];
  metadata: Record<string, string> | null;
  /** Of its output and error files; null: 30 days. */
  keptSeconds: number | null;
}

/** Fails with file_not_found or batch_limit_reached. */
export async function createBatch(context: Pick<Context, "db" | "clock">, batch: NewBatch): Promise<BatchRow> {
  const { caller, endpoint, metadata, keptSeconds } = batch;
  const { accountId, keyId } = caller;
  const file = await findFile(context, accountId, batch.inputFileId);
  if (file.purpose !== "batch") failParameter("input_file_id", "it must be a file with the purpose batch");
  const at = wholeSecond(context.clock());
  return inTransaction(context.db, async (transaction) => {
    await lockForCaller(transaction, accountId);
    const { pool } = transaction;
    const open = await pool.query<{ count: number }>(
      "select count(*)::int as count from batch where account_id = $1 and ended_at is null",
      [accountId],
    );
    const { count } = open.rows[0]!;
    if (count >= openMax) fail("batch_limit_reached", { text: { count } });
    const { rows } = await pool.query<BatchRow>(
      `insert into batch (id, account_id, key_id, endpoint, input_file_id, metadata, status, created_at, expires_at, output_kept_seconds)
       values ($1, $2, $3, $4, $5, $6, 'validating', $7, $8, $9) returning ${columns}`,
      [uuidv7(at), accountId, keyId, endpoint, file.id, metadata, at, new Date(at.getTime() + windowMs), keptSeconds],
    );
    return rows[0]!;
  });
}

/** By its shown id. Fails with batch_not_found. */
export async function findBatch({ pool }: Queries, accountId: bigint, shownId: string): Promise<BatchRow> {
  const { rows } = await pool.query<BatchRow>(`select ${columns} from batch where account_id = $1 and id = $2`, [
    accountId,
    parseBatchId(shownId) ?? null,
  ]);
  return rows[0] ?? fail("batch_not_found", { text: { id: cutId(shownId) } });
}

/** The newest first. */
export async function listBatches({ pool }: Queries, accountId: bigint, after: string | undefined, limit: number): Promise<BatchRow[]> {
  const id = after === undefined ? null : (parseBatchId(after) ?? failAfter());
  if (id !== null) {
    const { rowCount } = await pool.query("select 1 from batch where account_id = $1 and id = $2", [accountId, id]);
    if (rowCount === 0) failAfter();
  }
  const { rows } = await pool.query<BatchRow>(
    `select ${columns} from batch where account_id = $1 and ($2::uuid is null or (created_at, id) < (select created_at, id from batch where id = $2))
     order by created_at desc, id desc limit $3`,
    [accountId, id, limit],
  );
  return rows;
}

function failAfter(): never {
  return failParameter("after", "it must be an id of this list");
}

/** Fails with batch_not_found or batch_ended. A batch that is cancelled twice is as good as cancelled once. */
export async function cancelBatch({ db, clock }: Pick<Context, "db" | "clock">, accountId: bigint, shownId: string): Promise<BatchRow> {
  const { rows } = await db.pool.query<BatchRow>(
    `update batch set status = 'cancelling', cancelling_at = $3
     where account_id = $1 and id = $2 and status in ('validating', 'in_progress') returning ${columns}`,
    [accountId, parseBatchId(shownId) ?? null, clock()],
  );
  if (rows[0] !== undefined) return rows[0];
  const batch = await findBatch(db, accountId, shownId);
  if (batch.status === "cancelling") return batch;
  return fail("batch_ended", { text: { id: cutId(shownId), status: batch.status } });
}

export function shownBatch(batch: BatchRow): Shown {
  const { id, endpoint, status, metadata, total, completed, failed, errors, endedAt } = batch;
  // Files are there once they are complete.
  const file = (of: string | null) => (of === null || endedAt === null ? null : fileIdText(of));
  return {
    ...{ id: batchIdText(id), object: "batch", endpoint },
    errors: errors === null ? null : { object: "list", data: errors },
    ...{ input_file_id: fileIdText(batch.inputFileId), completion_window: "24h", status },
    ...{ output_file_id: file(batch.outputFileId), error_file_id: file(batch.errorFileId) },
    created_at: seconds(batch.createdAt)!,
    in_progress_at: seconds(batch.inProgressAt),
    expires_at: seconds(batch.expiresAt)!,
    finalizing_at: seconds(batch.finalizingAt),
    completed_at: seconds(batch.completedAt),
    failed_at: seconds(batch.failedAt),
    expired_at: seconds(batch.expiredAt),
    cancelling_at: seconds(batch.cancellingAt),
    cancelled_at: seconds(batch.cancelledAt),
    request_counts: { total, completed, failed },
    usage: shownUsage(batch),
    metadata,
  };
}

function shownUsage({ input, cached, output, reasoning }: LineUsage): Shown["usage"] {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function seconds(at: Date | null): number | null {
  return at === null ? null : unixSeconds(at);
}
