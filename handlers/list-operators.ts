// GET /v1/operator/operators: who has an operator's role.
import type { Handler } from "../src/operation.ts";
import { listRoles } from "../src/operators/roles.ts";

export const listOperators: Handler<"listOperators"> = async ({ db, config }) => {
  return { status: 200, body: await listRoles(db, config.operators) };
};
