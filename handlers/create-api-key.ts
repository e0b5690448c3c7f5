// POST /v1/auth/keys: makes a key and shows its secret, this once.
import { readBudget } from "../src/accounts/key-budgets.ts";
import { createKey } from "../src/accounts/manage-keys.ts";
import { readPolicy } from "../src/accounts/read-policy.ts";
import type { Handler } from "../src/operation.ts";

export const createApiKey: Handler<"createApiKey"> = async ({ db, catalog, clock }, { caller, body, receivedAt }) => {
  const budget = readBudget(body);
  const policy = readPolicy(body, { catalog, now: clock() });
  const createdBy = caller.session?.personId ?? null;
  const made = { accountId: caller.accountId, name: body.name, budget, policy, createdBy, at: receivedAt };
  const { secret, record } = await createKey(db, made);
  const { name, id, masked, is_default, limit_usd, limit_resets, expires_at, created_at } = record;
  return {
    status: 200,
    body: { api_key: secret, name, id, masked, is_default, limit_usd, limit_resets, expires_at, created_at },
  };
};
