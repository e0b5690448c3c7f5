// The key that an account gets by itself when its address is verified. The keys that a person makes stand elsewhere.
import type { Queries } from "../db/connect.ts";
import { makeKey } from "./keys.ts";

/** Returns the secret, shown now or never. A default key of before becomes an ordinary one. */
export async function issueDefaultKey(transaction: Queries, { accountId, at }: { accountId: bigint; at: Date }): Promise<string> {
  const key = makeKey();
  await transaction.pool.query("update api_key set is_default = false where account_id = $1 and is_default and deleted_at is null", [
    accountId,
  ]);
  await transaction.pool.query(
    `insert into api_key (account_id, hash, prefix, last4, name, is_default, created_at) values ($1, $2, $3, $4, 'Default', true, $5)`,
    [accountId, key.hash, key.prefix, key.last4, at],
  );
  return key.secret;
}
