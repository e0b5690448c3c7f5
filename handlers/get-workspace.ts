// GET /v1/workspace: the workspace of the request.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { readWorkspace } from "../src/workspaces/workspaces.ts";

export const getWorkspace: Handler<"getWorkspace"> = async ({ db }, { caller }) => ({
  status: 200,
  body: await readWorkspace(db, actorOf(caller).personId, caller.accountId),
});
