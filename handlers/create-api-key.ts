// POST /v1/auth/keys: makes a key and shows its secret, this once.
import { readBudget } from "../src/accounts/key-budgets.ts";
import { createKey } from "../src/accounts/manage-keys.ts";
import type { Handler } from "../src/operation.ts";

export const createApiKey: Handler<"createApiKey"> = async ({ db }, { caller, body, receivedAt }) => {
  const budget = readBudget(body);
  const { secret, record } = await createKey(db, { accountId: caller.accountId, name: body.name, budget, at: receivedAt });
  const { name, id, masked, is_default, limit_usd, limit_resets, created_at } = record;
  return {
    status: 200,
    body: { api_key: secret, name, id, masked, is_default, limit_usd, limit_resets, created_at },
  };
};
