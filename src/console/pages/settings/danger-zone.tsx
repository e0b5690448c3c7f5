// What can't be undone from here.
import { useQuery } from "@tanstack/react-query";
import type { Member } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { sessionQuery } from "../../lib/queries.ts";
import { workspaceQuery } from "../../lib/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/parts.tsx";
import { DeleteAccount } from "./account.tsx";
import { RemoveMember } from "../members/remove-member.tsx";

export function DangerZone(): ReactNode {
  const { data: workspace } = useQuery(workspaceQuery);
  const { data: session } = useQuery(sessionQuery);
  const [leaving, setLeaving] = useState<Pick<Member, "id" | "email"> | null>(null);
  if (workspace === undefined || session === undefined) return null;
  return (
    <Card title="Danger zone">
      <div className="space-y-5">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0 max-w-xl">
            <p className="font-medium">Leave this workspace</p>
            <p className="text-quiet">
              {workspace.personal
                ? "This is your own workspace, which you can't leave."
                : `You no longer see ${workspace.name}, its keys and its usage.`}
            </p>
          </div>
          <Button kind="danger" disabled={workspace.personal} onClick={() => setLeaving(session.user)}>
            Leave workspace
          </Button>
        </div>
        <DeleteAccount />
      </div>
      <RemoveMember member={leaving} workspace={workspace} self onClose={() => setLeaving(null)} />
    </Card>
  );
}
