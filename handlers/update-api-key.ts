// PATCH /v1/auth/keys/{key}: enables, disables or renames a key, or changes its budget.
import { readBudget } from "../src/accounts/key-budgets.ts";
import { changeKey, keyOf } from "../src/accounts/manage-keys.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const updateApiKey: Handler<"updateApiKey"> = async ({ db }, { caller, path, body }) => {
  const change = { enabled: body.enabled, name: body.name, budget: readBudget(body) };
  const record = await changeKey(db, await keyOf(db, caller.accountId, path.key), change);
  return { status: 200, body: record ?? fail("not_found") };
};
