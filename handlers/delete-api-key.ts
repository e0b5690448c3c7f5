// DELETE /v1/auth/keys/{key}: the key stops working everywhere; another key replaces a deleted default (docs/behaviour/endpoints.md#keys).
import { deleteKey, keyOf } from "../src/accounts/manage-keys.ts";
import { fail } from "../src/errors/fail.ts";
import type { Handler } from "../src/operation.ts";

export const deleteApiKey: Handler<"deleteApiKey"> = async ({ db }, { caller, path, receivedAt }) => {
  const deleted = (await deleteKey(db, await keyOf(db, caller.accountId, path.key), receivedAt)) ?? fail("not_found");
  const { id, newDefault, secret } = deleted;
  return {
    status: 200,
    body: { deleted: true, id, new_default: newDefault?.masked ?? null, ...(secret === null ? {} : { new_default_key: secret }) },
  };
};
