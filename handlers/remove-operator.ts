// POST /v1/operator/operators/remove: takes an operator's role.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/operators/requests.ts";
import { listRoles, setRole } from "../src/operators/roles.ts";

export const removeOperator: Handler<"removeOperator"> = async (context, request) => {
  const { account, reason } = request.body;
  await setRole(context, actorOf(request), { account, role: null, reason: reason.trim() });
  return { status: 200, body: await listRoles(context.db, context.config.operators) };
};
