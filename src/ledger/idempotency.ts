// Idempotency keys of paid calls: which call has a key, and what it answered. A claim is a row of its own, written before the hold; from then on hold,
// charge and log row say what became of the call (src/db/functions/idempotency_claim.sql), so that a crash at any line leaves no doubt.
import type { Clock } from "../clock.ts";
import type { Queries } from "../db/connect.ts";
import { persist } from "./account-batcher.ts";
import { ledgerTimes } from "./times.ts";

/** How long a key keeps its call, and at most how much of its answer. */
const keyLife = "24 hours";
export const keptAnswerMax = 1024 * 1024;
/** Of one account; beyond it the oldest answers go first. */
export const keptOfAccountMax = 64 * 1024 * 1024;

export interface Claim {
  accountId: bigint;
  operation: string;
  /** 1 to 128 characters. */
  key: string;
  /** SHA-256 of the request. */
  hash: Buffer;
  /** The id that the call's hold and charge will have. */
  callId: string;
  receivedAt: Date;
  /** The replica. */
  owner: string;
}

interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

export type Claimed = { outcome: "claimed" } | { outcome: "running" | "replayed" | "reused" } | ({ outcome: "answered" } & KeptAnswer);

export async function claimKey({ pool }: Queries, claim: Claim): Promise<Claimed> {
  const { accountId, operation, key, hash, callId, receivedAt, owner } = claim;
  const { rows } = await pool.query<Claimed>(
    "select outcome, status, headers, body from idempotency_claim($1, $2, $3, $4, $5, $6, $7, $8::int * interval '1 ms', $9)",
    [accountId, operation, key, hash, callId, receivedAt, owner, ledgerTimes.deadAfterMs, keyLife],
  );
  return rows[0]!;
}

/** `answer` null: it is too large to be kept, and a repeat is told so. */
export async function keepAnswer(
  { pool }: Queries,
  claim: Claim,
  status: number,
  answer: Omit<KeptAnswer, "status"> | null,
): Promise<void> {
  const values = [...rowOf(claim), status, answer === null ? null : JSON.stringify(answer.headers), answer?.body ?? null];
  await repeated(() =>
    pool.query(
      `update idempotency_key set status = $5, headers = $6, body = $7
       where account_id = $1 and operation = $2 and key = $3 and call_id = $4`,
      values,
    ),
  );
}

/** Nothing works on the call any more: its charge, if there is one, says what a repeat is told. */
export async function letGo({ pool }: Queries, claim: Claim): Promise<void> {
  await repeated(() => pool.query("select idempotency_let_go($1, $2, $3, $4)", rowOf(claim)));
}

/** The answer waits for it. What can't be written until then, time decides (src/db/functions/idempotency_claim.sql). */
function repeated<T>(work: () => Promise<T>): Promise<T> {
  return persist(ledgerTimes.reserveTimeoutMs, new AbortController().signal, work);
}

function rowOf({ accountId, operation, key, callId }: Claim) {
  return [accountId, operation, key, callId];
}

const everyMs = 60_000;

/** Nothing depends on it. */
export function keepKeysSwept(db: Queries, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }) {
  const timer = setInterval(
    () => void sweepKeys(db, clock()).catch((error: unknown) => onFault(error, "deleting old idempotency keys")),
    everyMs,
  );
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Rows a round of the sweep. */
const batch = 1_000;

/** Deletes keys whose time is over, and the oldest answers of accounts that keep too much. */
export async function sweepKeys({ pool }: Queries, at: Date): Promise<void> {
  const values = [at, keyLife, keptOfAccountMax, batch];
  const sweep = async () => (await pool.query<{ done: number }>("select idempotency_sweep($1, $2, $3, $4) as done", values)).rows[0]!.done;
  while ((await sweep()) === batch);
}
