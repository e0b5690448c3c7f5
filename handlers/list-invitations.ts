// GET /v1/workspace/invitations: those that were not accepted yet.
import type { Handler } from "../src/operation.ts";
import { listInvitations as list } from "../src/workspaces/invitations.ts";

export const listInvitations: Handler<"listInvitations"> = async ({ db }, { caller, receivedAt }) => ({
  status: 200,
  body: { object: "list", data: await list(db, caller.accountId, receivedAt), has_more: false },
});
