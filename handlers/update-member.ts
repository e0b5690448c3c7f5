// PATCH /v1/workspace/members/{member}: changes a member's role or budget.
import { readBudget } from "../src/accounts/key-budgets.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf, changeMember } from "../src/workspaces/members.ts";

export const updateMember: Handler<"updateMember"> = async ({ db }, { caller, path: { member }, body }) => {
  const { role, limit_usd, limit_resets } = body;
  return { status: 200, body: await changeMember(db, actorOf(caller), { member, role, budget: readBudget({ limit_usd, limit_resets }) }) };
};
