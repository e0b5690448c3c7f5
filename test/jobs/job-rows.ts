// Media jobs for tests below HTTP: rows as src/jobs/submit-request.ts asks for them, and what became of them.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { shippedTiers } from "../../src/catalog/tiers.ts";
import type { Db } from "../../src/db/connect.ts";
import { tierLimits } from "../../src/jobs/submit-request.ts";
import { audit } from "../../src/ledger/audit.ts";
import { verifyChain } from "../../src/ledger/verify.ts";

export const tiers = tierLimits(shippedTiers);

export interface Ask {
  accountId: bigint;
  keyId?: bigint | null;
  id?: string;
  kind?: "image" | "video";
  api?: "image" | "video" | "genmedia";
  idempotencyKey?: string | null;
  estimated?: bigint;
  model?: string;
  count?: number;
}

export interface Answer {
  outcome: string;
  id: string;
  available: bigint;
  reserved: bigint;
  key_left: bigint | null;
  waiting_max: number;
}

/** The JSON of a new row. */
function jobOf({
  accountId,
  keyId = null,
  id = randomUUID(),
  kind = "image",
  api = kind,
  idempotencyKey = null,
  estimated = 100n,
  model = "test/picture",
  count = 1,
}: Ask) {
  const order =
    kind === "image"
      ? { prompt: "a hat", count, size: { width: 1000, height: 1000 }, aspect: null, quality: null, references: [], extra: {} }
      : { prompt: "a hat", firstFrame: null, soundTrack: null, seconds: 5, aspect: null, extra: {} };
  return {
    id,
    account_id: String(accountId),
    key_id: keyId === null ? null : String(keyId),
    api,
    kind,
    shown_id: `job_${id.replaceAll("-", "")}`,
    idempotency_key: idempotencyKey,
    request_id: `req_${id}`,
    operation: "createImage",
    model,
    alias: null,
    request: { kind, order },
    prices: { model, unit: kind === "image" ? "image" : "second", each: kind === "image" ? "10000000000" : "2000000000" },
    secret: "s".repeat(32),
    estimated: String(estimated),
  };
}

export async function submit(db: Db, ask: Ask, limits = tiers): Promise<Answer> {
  const sql = "select outcome, id, available, reserved, key_left, waiting_max from media_submit($1, $2, '24 hours')";
  return (await db.pool.query<Answer>(sql, [JSON.stringify(jobOf(ask)), limits])).rows[0]!;
}

/** Leases a job to a made-up runner. */
export async function lease(db: Db, id: string, owner: string = randomUUID()): Promise<string> {
  await db.pool.query("update media_job set lease_owner = $2, run_at = now() + interval '10 s' where id = $1", [id, owner]);
  return owner;
}

const output = JSON.stringify({ files: [{ name: "a.png", content_type: "image/png", width: 1, height: 1 }] });

export async function finish(
  db: Db,
  id: string,
  owner: string,
  end: { charged: bigint } | { code: string; lateIn?: string },
  limits = tiers,
): Promise<boolean> {
  const made = "charged" in end;
  const sql = "select media_finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as done";
  const values = made
    ? [id, owner, "succeeded", end.charged, 1, output, null, null, null, "[]", null, limits]
    : [id, owner, "failed", null, null, null, end.code, "It failed.", "word", "[]", end.lateIn ?? null, limits];
  return (await db.pool.query<{ done: boolean }>(sql, values)).rows[0]!.done;
}

export async function rowOf(db: Db, id: string): Promise<Record<string, unknown>> {
  return (await db.pool.query<Record<string, unknown>>("select * from media_job where id = $1", [id])).rows[0]!;
}

/** In the order of their submits. */
export async function statuses(db: Db, accountId: bigint): Promise<string[]> {
  const { rows } = await db.pool.query<{ status: string }>("select status from media_job where account_id = $1 order by seq", [accountId]);
  return rows.map(({ status }) => status);
}

export async function entries(db: Db, id: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ kind: string; amount: bigint }>(
    "select kind, amount from ledger_entry where id = $1 order by seq",
    [id],
  );
  return rows.map(({ kind, amount }) => `${kind} ${amount}`);
}

export async function expectClean(db: Db): Promise<void> {
  expect((await audit(db)).mismatches).toEqual([]);
  expect((await verifyChain(db)).broken).toBeNull();
}
