// POST /v1/workspaces: makes a workspace that the person who is signed in owns.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/workspaces/members.ts";
import { createWorkspace as create } from "../src/workspaces/workspaces.ts";

export const createWorkspace: Handler<"createWorkspace"> = async ({ db }, { caller, body, receivedAt }) => ({
  status: 200,
  body: await create(db, actorOf(caller).personId, body.name, receivedAt),
});
