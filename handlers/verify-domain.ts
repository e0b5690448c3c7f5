// POST /v1/workspace/domains/{domain}/verify: looks for the record.
import type { Handler } from "../src/operation.ts";
import { verifyDomain as verify } from "../src/workspaces/domains.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const verifyDomain: Handler<"verifyDomain"> = async (context, { caller, path, receivedAt: at }) => ({
  status: 200,
  body: await verify(context, actorOf(caller), { id: path.domain, at }),
});
