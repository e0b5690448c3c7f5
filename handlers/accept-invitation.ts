// POST /v1/invitations/accept: the person who is signed in becomes a member.
import type { Handler } from "../src/operation.ts";
import { acceptInvitation as accept } from "../src/workspaces/invitations.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const acceptInvitation: Handler<"acceptInvitation"> = async ({ db }, { caller, body, receivedAt }) => ({
  status: 200,
  body: await accept(db, { personId: actorOf(caller).personId, token: body.token, at: receivedAt }),
});
