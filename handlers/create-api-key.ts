// POST /v1/auth/keys: makes a key and shows its secret, this once.
import { createKey, readLimit } from "../src/accounts/manage-keys.ts";
import type { Handler } from "../src/operation.ts";

export const createApiKey: Handler<"createApiKey"> = async ({ db }, { caller, body, receivedAt }) => {
  const limit = readLimit(body.limit_usd) ?? null;
  const { secret, record } = await createKey(db, {
    accountId: caller.accountId,
    name: body.name,
    limit,
    createdBy: caller.session?.personId ?? null,
    at: receivedAt,
  });
  const { name, id, masked, is_default, limit_usd, created_at } = record;
  return {
    status: 200,
    body: { api_key: secret, name, id, masked, is_default, limit_usd, created_at },
  };
};
