// Why this process should get no calls, for /readyz.
import type { Context } from "../context.ts";
import type { BatcherGauge } from "../db/batcher.ts";

/** A batcher sends its batch again within a second. */
const outageMs = 5_000;

/** As a sentence; null: it is ready. */
export async function unready(db: Context["db"], ledger: Context["ledger"], batchers: readonly BatcherGauge[]): Promise<string | null> {
  try {
    await db.pool.query("select 1");
  } catch {
    return db.checks.refusal ?? "the database does not answer";
  }
  if (db.checks.refusal !== null) return db.checks.refusal;
  // With a full disk, reads and small writes still succeed. Without recent calls its state is unknown, so calls are admitted to try it.
  if (batchers.some(({ outageAt }) => performance.now() - outageAt < outageMs)) return "the database refuses to write";
  return (await ledger.commits()) ? null : "the database confirms no commit";
}
