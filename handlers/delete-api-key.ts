// DELETE /v1/auth/keys/{key}: the key stops working everywhere; another key replaces a deleted default (docs/behaviour/endpoints.md#keys).
import { deleteKey, keyOf } from "../src/accounts/manage-keys.ts";
import { ownKeysOnly } from "../src/accounts/caller.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const deleteApiKey: Handler<"deleteApiKey"> = async ({ db }, { caller, path, receivedAt }) => {
  const by = caller.session?.personId ?? null;
  const deleted = (await deleteKey(db, await keyOf(db, caller, path.key), by, receivedAt)) ?? fail("not_found");
  const { id, newDefault, secret } = deleted;
  // Who sees only own keys doesn't learn of others' this way.
  const isShown = ownKeysOnly(caller.session) === null || secret !== null;
  return {
    status: 200,
    body: {
      deleted: true,
      id,
      new_default: isShown ? (newDefault?.masked ?? null) : null,
      ...(secret === null ? {} : { new_default_key: secret }),
    },
  };
};
