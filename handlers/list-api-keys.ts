// GET /v1/auth/keys: the workspace's keys, masked; for a developer, the own ones.
import { listKeys } from "../src/accounts/key-records.ts";
import { ownKeysOnly } from "../src/accounts/roles.ts";
import type { Handler } from "../src/operation.ts";

export const listApiKeys: Handler<"listApiKeys"> = async ({ db }, { caller }) => ({
  status: 200,
  body: { object: "list", data: await listKeys(db, caller.accountId, ownKeysOnly(caller)), has_more: false },
});
