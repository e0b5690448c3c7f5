// DELETE /v1/workspace/invitations/{invitation}: its link ends.
import type { Handler } from "../src/operation.ts";
import { revoke } from "../src/workspaces/invitations.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const revokeInvitation: Handler<"revokeInvitation"> = async ({ db }, { caller, path, receivedAt }) => ({
  status: 200,
  body: { revoked: true, id: await revoke(db, actorOf(caller), path.invitation, receivedAt) },
});
