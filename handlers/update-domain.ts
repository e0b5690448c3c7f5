// PATCH /v1/workspace/domains/{domain}: the role of those who join by it from now on.
import type { Handler } from "../src/operation.ts";
import { updateDomain as update } from "../src/workspaces/domains.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const updateDomain: Handler<"updateDomain"> = async ({ db }, { caller, path, body }) => ({
  status: 200,
  body: await update(db, actorOf(caller), path.domain, body.role),
});
