// GET /v1/auth/keys: the account's keys, masked.
import { listKeys } from "../src/accounts/key-records.ts";
import type { Handler } from "../src/operation.ts";

export const listApiKeys: Handler<"listApiKeys"> = async ({ db }, { caller }) => ({
  status: 200,
  body: { object: "list", data: await listKeys(db, caller.accountId), has_more: false },
});
