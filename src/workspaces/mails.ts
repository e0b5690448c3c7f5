// The texts of the mails about workspaces: plain and short.
import type { Mail } from "../mail/mailer.ts";

interface About {
  to: string;
  /** The workspace's name. */
  workspace: string;
  publicUrl: string;
}

export function removedMail({ to, workspace, publicUrl }: About): Mail {
  return {
    to,
    subject: "You are no longer a member of a workspace",
    text: `You were removed from the workspace ${JSON.stringify(workspace)} at ${publicUrl}.

Your account and your other workspaces stay as they are. If you think it is a mistake, ask an owner of the workspace.
`,
  };
}
