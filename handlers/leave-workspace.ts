// POST /v1/workspace/leave: the person who is signed in is no longer a member of the workspace.
import type { Handler } from "../src/operation.ts";
import { actorOf, leave } from "../src/workspaces/members.ts";

export const leaveWorkspace: Handler<"leaveWorkspace"> = async ({ db }, { caller, query: { keys = "disable" } }) => {
  const { member, keysDisabled } = await leave(db, actorOf(caller), keys);
  return { status: 200, body: { removed: true, id: member.id, keys_disabled: keysDisabled } };
};
