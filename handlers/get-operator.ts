// GET /v1/operator/me: who the operator of the session is.
import type { Handler } from "../src/operation.ts";
import { operatorOf } from "../src/operators/requests.ts";

export const getOperator: Handler<"getOperator"> = ({ clock }, { caller }) => {
  const { email, role, confirmedUntil } = operatorOf(caller);
  const until = confirmedUntil > clock() ? confirmedUntil.toISOString() : null;
  return { status: 200, body: { object: "operator", email, role, confirmed_until: until } };
};
