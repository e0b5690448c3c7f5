// DELETE /v1/workspace/members/{member}: removes a member, and disables or keeps the keys that the member made.
import type { Handler } from "../src/operation.ts";
import { removedMail } from "../src/workspaces/mails.ts";
import { actorOf, removeMember as remove } from "../src/workspaces/members.ts";
import { readWorkspace } from "../src/workspaces/workspaces.ts";

export const removeMember: Handler<"removeMember"> = async ({ db, mailer, publicUrl }, { caller, path, query: { keys = "disable" } }) => {
  const actor = actorOf(caller);
  const { member, keysDisabled } = await remove(db, actor, { member: path.member, keys });
  const { name: workspace } = await readWorkspace(db, actor.personId, actor.accountId);
  if (member.personId !== actor.personId) mailer.send(removedMail({ to: member.email, workspace, publicUrl }));
  return { status: 200, body: { removed: true, id: member.id, keys_disabled: keysDisabled } };
};
