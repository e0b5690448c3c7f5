// Finds batches to work on and holds their leases: any number of processes share them, and one that dies leaves its batches to the others.
import { keepDoing } from "../concurrency/keep-doing.ts";
import { GatewayStopping } from "../calls/ask.ts";
import { sweepFiles } from "./files.ts";
import { type BatchParts, type BatchTimes, type ClaimedBatch, runBatch, type Running } from "./run-batch.ts";

const batchTimes: BatchTimes = { lookMs: 1_000, leaseMs: 15_000, pauseMs: 1_000 };

/** Batches at work at once, in this process and of one workspace. */
const [ofProcess, ofWorkspace] = [8, 2];
const sweepEveryMs = 10 * 60 * 1000;
const keptDays = 30;

export interface Batches {
  stop(graceMs: number): Promise<void>;
}

interface Starting extends Pick<BatchParts, "owner" | "answer" | "onFault"> {
  context: Pick<BatchParts, "db" | "clock" | "media" | "log">;
  /** For tests: shorter ones. */
  times: Partial<BatchTimes> | undefined;
}

export function startBatches({ context, times: given, ...rest }: Starting): Batches {
  const times = { ...batchTimes, ...given };
  const parts: BatchParts = { ...context, ...rest, times };
  const { onFault } = rest;
  const running = new Map<string, { done: Promise<void>; close(reason: unknown): void }>();
  const stopping = new AbortController();
  let isStopping = false;

  const begin = (batch: ClaimedBatch) => {
    const closing = new AbortController();
    let ours = true;
    const close = (reason: unknown) => closing.abort(reason);
    const lose = () => {
      ours = false;
      close(new Error("the batch is another process's"));
    };
    let heardAt = performance.now();
    const beat = keepDoing(times.leaseMs / 3, async () => {
      const status = await renew(parts, batch.id).catch(() => undefined);
      if (status === "cancelling") close(new Error("the batch is cancelled"));
      if (status !== undefined) heardAt = performance.now();
      if (status === null || performance.now() - heardAt > times.leaseMs) lose();
    });
    const work: Running = { batch, closing: closing.signal, stopping: stopping.signal, isOurs: () => ours && !isStopping };
    const done = runBatch(parts, work)
      .then(
        () => beat.stop().then(() => letGo(parts, batch.id)),
        // Its lease ends by itself, so that what fails is not tried without a pause.
        (error: unknown) => beat.stop().finally(() => onFault(error, "a batch")),
      )
      .catch((error: unknown) => onFault(error, "giving a batch back"))
      .finally(() => running.delete(batch.id));
    running.set(batch.id, { done, close });
  };

  const look = keepDoing(times.lookMs, async () => {
    try {
      while (!isStopping && running.size < ofProcess) {
        const batch = await claim(parts);
        if (batch === undefined) return;
        if (isStopping) return await letGo(parts, batch.id);
        begin(batch);
      }
    } catch (error) {
      onFault(error, "looking for batches");
    }
  });
  const sweep = keepDoing(sweepEveryMs, () => sweepAll(parts).catch((error: unknown) => onFault(error, "removing old files and batches")));

  return {
    async stop(graceMs) {
      isStopping = true;
      await Promise.all([look.stop(), sweep.stop()]);
      for (const { close } of running.values()) close(new GatewayStopping());
      const late = setTimeout(() => stopping.abort(new GatewayStopping()), graceMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(late);
    },
  };
}

/** The oldest that no process works on. */
async function claim({ db, owner, times }: BatchParts): Promise<ClaimedBatch | undefined> {
  const { rows } = await db.pool.query<ClaimedBatch>(
    `update batch set lease_owner = $1, lease_until = clock_timestamp() + $2::int * interval '1 ms' where id = (
       select b.id from batch b where b.ended_at is null and (b.lease_until is null or b.lease_until < clock_timestamp())
         and (select count(*) from batch o where o.account_id = b.account_id and o.ended_at is null and o.lease_until >= clock_timestamp()) < $3
       order by b.created_at, b.id limit 1 for update skip locked)
     returning id, account_id as "accountId", key_id as "keyId", endpoint, input_file_id as "inputFileId", status, created_at as "createdAt",
       expires_at as "expiresAt", output_file_id as "outputFileId", error_file_id as "errorFileId", output_kept_seconds as "keptSeconds"`,
    [owner, times.leaseMs, ofWorkspace],
  );
  return rows[0];
}

/** Null: the batch is not this process's any more. */
async function renew({ db, owner, times }: BatchParts, id: string): Promise<ClaimedBatch["status"] | null> {
  const { rows } = await db.pool.query<{ status: ClaimedBatch["status"] }>(
    `update batch set lease_until = clock_timestamp() + $3::int * interval '1 ms' where id = $1 and lease_owner = $2 and ended_at is null
     returning status`,
    [id, owner, times.leaseMs],
  );
  return rows[0]?.status ?? null;
}

async function letGo({ db, owner }: BatchParts, id: string): Promise<void> {
  await db.pool.query("update batch set lease_until = null where id = $1 and lease_owner = $2", [id, owner]);
}

async function sweepAll(parts: Pick<BatchParts, "db" | "clock" | "media">): Promise<void> {
  const before = new Date(parts.clock().getTime() - keptDays * 24 * 60 * 60 * 1000);
  await parts.db.pool.query("delete from batch where ended_at < $1", [before]);
  // Of a batch whose process died between its end and its lines'.
  await parts.db.pool.query("delete from batch_line l using batch b where b.id = l.batch_id and b.ended_at < $1", [
    new Date(parts.clock().getTime() - sweepEveryMs),
  ]);
  await sweepFiles(parts);
}
