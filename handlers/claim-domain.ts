// POST /v1/workspace/domains: the record that proves whose a mail domain is.
import type { Handler } from "../src/operation.ts";
import { claimDomain as claim } from "../src/workspaces/domains.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const claimDomain: Handler<"claimDomain"> = async (context, { caller, body, receivedAt: at }) => ({
  status: 200,
  body: await claim(context, actorOf(caller), { domain: body.domain, role: body.role ?? "developer", at }),
});
