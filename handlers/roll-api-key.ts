// POST /v1/auth/keys/{key}/roll: a new secret for the same key; the one before works for a while.
import { keyOf, rollKey } from "../src/accounts/manage-keys.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

const graceDefault = 24 * 60 * 60;

export const rollApiKey: Handler<"rollApiKey"> = async ({ db }, { caller, path, body }) => {
  const key = await keyOf(db, caller, path.key);
  const roll = { by: caller.session?.personId ?? null, graceSeconds: body.grace_seconds ?? graceDefault };
  const { secret, record } = (await rollKey(db, key, roll)) ?? fail("not_found");
  const { id, name, masked, previous_secret_until } = record;
  return { status: 200, body: { api_key: secret, id, name, masked, previous_secret_until } };
};
