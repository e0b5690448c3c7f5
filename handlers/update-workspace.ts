// PATCH /v1/workspace: renames the workspace of the request.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { renameWorkspace } from "../src/workspaces/workspaces.ts";

export const updateWorkspace: Handler<"updateWorkspace"> = async ({ db }, { caller, body }) => ({
  status: 200,
  body: await renameWorkspace(db, actorOf(caller).personId, caller.accountId, body.name),
});
