// PATCH /v1/workspace: renames the workspace of the request, or changes whether and for how long its responses are stored.
import { setRetention } from "../src/accounts/stored-responses.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { readWorkspace, renameWorkspace } from "../src/workspaces/workspaces.ts";

export const updateWorkspace: Handler<"updateWorkspace"> = async ({ db, config }, { caller, body, receivedAt: at }) => {
  const actor = actorOf(caller);
  const { name, response_retention_days: days } = body;
  if (days !== undefined) await setRetention(db, config, actor, days, at);
  if (name !== undefined) await renameWorkspace(db, actor, name);
  return { status: 200, body: await readWorkspace(db, actor.personId, actor.accountId) };
};
