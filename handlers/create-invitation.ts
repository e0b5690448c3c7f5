// POST /v1/workspace/invitations: invites an address, and sends the mail once the invitation is stored.
import type { Handler } from "../src/operation.ts";
import { invite } from "../src/workspaces/invitations.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const createInvitation: Handler<"createInvitation"> = async ({ db, mailer, publicUrl }, { caller, body, receivedAt: at }) => {
  const { record, mail } = await invite(db, actorOf(caller), { email: body.email, role: body.role }, { publicUrl, at });
  mailer.send(mail);
  return { status: 200, body: record };
};
