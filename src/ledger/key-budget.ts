// Reading what a single key may spend; table key_budget is kept by triggers (migration 0005).
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

interface LimitedKey {
  prefix: string;
  last4: string;
  limit: Amount | null;
  /** What it may still spend; below 0 where its limit is below what is spent; null: no limit. */
  left: Amount | null;
}

/** What a refusal says of the key whose budget does not reach. */
export async function readLimitedKey(db: Queries, keyId: bigint): Promise<LimitedKey | undefined> {
  const { rows } = await db.pool.query<LimitedKey>(
    `select k.prefix, k.last4, b.limit_amount as "limit", b.limit_amount - b.spent - b.reserved as "left" from api_key k join key_budget b on b.key_id = k.id where k.id = $1`,
    [keyId],
  );
  return rows[0];
}
