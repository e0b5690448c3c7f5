// GET /v1/auth/keys/{key}/usage: what a key spent, holds and has left, and its days.
import { readKeyUsage } from "../src/accounts/key-usage.ts";
import { keyOf } from "../src/accounts/manage-keys.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const getApiKeyUsage: Handler<"getApiKeyUsage"> = async ({ db, ledger }, { caller, path }) => {
  const key = await keyOf(db, caller, path.key);
  const usage = await ledger.recalling(
    key.accountId,
    () => readKeyUsage(db, key),
    () => true,
  );
  return { status: 200, body: usage ?? fail("not_found") };
};
