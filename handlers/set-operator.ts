// POST /v1/operator/operators: gives an account an operator's role.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/operators/requests.ts";
import { listRoles, setRole } from "../src/operators/roles.ts";

export const setOperator: Handler<"setOperator"> = async (context, request) => {
  const { account, role, reason } = request.body;
  await setRole(context, actorOf(request), { account, role, reason: reason.trim() });
  return { status: 200, body: await listRoles(context.db, context.config.operators) };
};
