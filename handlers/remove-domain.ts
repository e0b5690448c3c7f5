// DELETE /v1/workspace/domains/{domain}: it adds no more members.
import type { Handler } from "../src/operation.ts";
import { removeDomain as remove } from "../src/workspaces/domains.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const removeDomain: Handler<"removeDomain"> = async ({ db }, { caller, path }) => ({
  status: 200,
  body: { removed: true, id: await remove(db, actorOf(caller), path.domain) },
});
