// POST /v1/workspace/invitations/{invitation}/resend: a new mail with a new link.
import type { Handler } from "../src/operation.ts";
import { resend } from "../src/workspaces/invitations.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const resendInvitation: Handler<"resendInvitation"> = async ({ db, mailer, publicUrl }, { caller, path, receivedAt: at }) => {
  const { record, mail } = await resend(db, actorOf(caller), path.invitation, { publicUrl, at });
  mailer.send(mail);
  return { status: 200, body: record };
};
