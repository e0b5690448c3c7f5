// The texts of the mails about workspaces: plain and short.
import type { Role } from "../accounts/caller.ts";
import type { Mail } from "../mail/mailer.ts";

interface About {
  to: string;
  /** The workspace's name. */
  workspace: string;
  publicUrl: string;
}

export function invitationMail({ to, workspace, publicUrl }: About, { by, role, token }: { by: string; role: Role; token: string }): Mail {
  return {
    to,
    subject: "You are invited to a workspace",
    text: `${by} invites you to the workspace ${JSON.stringify(workspace)} at ${publicUrl}, as ${role}.

Sign in with this address, or sign up with it first, and accept with this link:
${publicUrl}/console/invitations#token=${token}

or from a terminal:
curl ${publicUrl}/v1/invitations/accept -H "Authorization: Bearer YOUR SESSION TOKEN" -H "Content-Type: application/json" -d '{"token":"${token}"}'

The link works once, within 7 days. If you don't know who invited you, do nothing.
`,
  };
}

export function removedMail({ to, workspace, publicUrl }: About): Mail {
  return {
    to,
    subject: "You are no longer a member of a workspace",
    text: `You were removed from the workspace ${JSON.stringify(workspace)} at ${publicUrl}.

Your account and your other workspaces stay as they are. If you think this is a mistake, ask an owner of the workspace.
`,
  };
}
