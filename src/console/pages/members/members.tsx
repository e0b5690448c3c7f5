// Members: who is in the workspace, with which role, and who is invited.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { membersQuery, mostMembers } from "../../lib/members.ts";
import { mayManage, workspaceQuery } from "../../lib/workspace.ts";
import { RoleNote } from "../../shell/role-note.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading, Page } from "../../ui/parts.tsx";
import { Domains } from "./domains.tsx";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { MemberTable } from "./member-table.tsx";

export function Members(): ReactNode {
  const workspace = useQuery(workspaceQuery);
  const { data, error, refetch } = useQuery(membersQuery);
  const { invite } = useSearch({ from: "/inside/members" });
  const navigate = useNavigate();
  const setInvite = (open: boolean) => void navigate({ to: "/members", search: open ? { invite: "1" } : {}, replace: true });
  const role = workspace.data?.role;
  const manages = mayManage(role);
  return (
    <Page
      title="Members"
      actions={
        manages && (
          <Button kind="primary" onClick={() => setInvite(true)}>
            Invite
          </Button>
        )
      }
      about={workspace.data === undefined ? undefined : `The members of ${workspace.data.name} share its keys, usage and credit.`}
    >
      <RoleNote right="manage" what="invite, change roles and budgets, and remove members" />
      <ErrorNote error={error ?? workspace.error} retry={() => void refetch()} />
      <Card title="Members" flush>
        {(data === undefined || workspace.data === undefined) && error === null && workspace.error === null && (
          <Loading what="Loading the members" />
        )}
        {data !== undefined && workspace.data !== undefined && <MemberTable members={data.members} workspace={workspace.data} />}
        {data?.whole === false && (
          <p className="px-5 py-3 text-quiet">Only the first {mostMembers.toLocaleString("en-US")} members are shown.</p>
        )}
      </Card>
      {manages && <Invitations />}
      {manages && <Domains />}
      {role !== undefined && manages && <Invite own={role} open={invite !== undefined} onClose={() => setInvite(false)} />}
    </Page>
  );
}
