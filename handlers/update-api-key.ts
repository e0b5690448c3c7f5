// PATCH /v1/auth/keys/{key}: enables, disables or renames a key, or changes its budgets and policies.
import { readBudget } from "../src/accounts/key-budgets.ts";
import { changeKey, keyOf } from "../src/accounts/manage-keys.ts";
import { readPolicy } from "../src/accounts/read-policy.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const updateApiKey: Handler<"updateApiKey"> = async ({ db, catalog, clock }, { caller, path, body }) => {
  const change = { enabled: body.enabled, name: body.name, budget: readBudget(body), policy: readPolicy(body, { catalog, now: clock() }) };
  const record = await changeKey(db, await keyOf(db, caller, path.key), caller.session?.personId ?? null, change);
  return { status: 200, body: record ?? fail("not_found") };
};
