// GET /v1/auth/keys: the workspace's keys, masked; for a developer, the own ones.
import { keysSeenBy } from "../src/accounts/key-access.ts";
import { listKeys } from "../src/accounts/key-records.ts";
import type { Handler } from "../src/operation.ts";

export const listApiKeys: Handler<"listApiKeys"> = async ({ db }, { caller }) => ({
  status: 200,
  body: { object: "list", data: await listKeys(db, caller.accountId, await keysSeenBy(db, caller)), has_more: false },
});
