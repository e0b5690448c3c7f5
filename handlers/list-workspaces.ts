// GET /v1/workspaces: the workspaces of the person who is signed in.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { listWorkspaces as list } from "../src/workspaces/workspaces.ts";

export const listWorkspaces: Handler<"listWorkspaces"> = async ({ db }, { caller }) => ({
  status: 200,
  body: { object: "list", data: await list(db, actorOf(caller).personId), has_more: false },
});
