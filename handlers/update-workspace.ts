// PATCH /v1/workspace: renames the workspace of the request, or changes whether and for how long its responses are stored.
import { setRetention } from "../src/accounts/stored-responses.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { readWorkspace, renameWorkspace } from "../src/workspaces/workspaces.ts";

export const updateWorkspace: Handler<"updateWorkspace"> = async ({ db, config }, { caller, body, receivedAt: at }) => {
  const { accountId } = caller;
  const { name, response_retention_days: days } = body;
  if (days !== undefined) await setRetention(db, config, accountId, days, at);
  if (name !== undefined) await renameWorkspace(db, accountId, name);
  return { status: 200, body: await readWorkspace(db, actorOf(caller).personId, accountId) };
};
