// PATCH /v1/workspace/members/{member}: changes a member's role.
import { memberRecord } from "../src/accounts/members.ts";
import type { Handler } from "../src/operation.ts";
import { actorOf, changeRole } from "../src/workspaces/members.ts";

export const updateMember: Handler<"updateMember"> = async ({ db }, { caller, path: { member }, body: { role } }) => ({
  status: 200,
  body: memberRecord(await changeRole(db, actorOf(caller), { member, role })),
});
