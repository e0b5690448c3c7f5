// GET /v1/workspace/domains: the mail domains that the workspace has claimed.
import type { Handler } from "../src/operation.ts";
import { readDomainRecords } from "../src/workspaces/domains.ts";

export const listDomains: Handler<"listDomains"> = async ({ db }, { caller }) => ({
  status: 200,
  body: { object: "list", data: await readDomainRecords(db, caller.accountId), has_more: false },
});
