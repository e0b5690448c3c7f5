// The table of members: an owner or admin changes roles and budgets, and removes people; any member may leave a workspace that is not their own.
import { useMutation, useQuery } from "@tanstack/react-query";
import { type Member, updateMember, type Workspace } from "svc-sdk/functions";
import type { Role } from "svc-sdk/types";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { queries, sessionQuery } from "../../lib/queries.ts";
import { dayOf } from "../../lib/time.ts";
import { mayManage, roles, rolesToGive } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Budget, EditBudget } from "./budget.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { RoleSelect } from "./role-select.tsx";

export function MemberTable({ members, workspace }: { members: readonly Member[]; workspace: Workspace }): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const [leaver, setLeaver] = useState<Member | null>(null);
  const [spender, setSpender] = useState<Member | null>(null);
  const own = session?.user.id;
  const set = useMutation({
    mutationFn: ({ id, role }: { id: string; role: Role }) => change(() => updateMember(api, id, { role })),
    onSuccess: ({ email, role }) => announce(`${email} is now ${roles[role].label.toLowerCase()}.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ["members"] }),
  });
  // Owners alone change owners; of an own workspace the person stays the owner.
  const mayChange = ({ role }: Member) => mayManage(workspace.role) && (role !== "owner" || workspace.role === "owner");
  const isKeeper = ({ id }: Member) => workspace.personal && id === own;
  const columns: Column<Member>[] = [
    {
      name: "Member",
      cell: ({ id, name, email }) => (
        <div className="max-w-72 min-w-40">
          <p className="flex flex-wrap items-center gap-2 font-medium break-words">
            {name ?? email} {id === own && <Badge>You</Badge>}
          </p>
          {name !== null && <p className="text-xs break-all text-quiet">{email}</p>}
        </div>
      ),
    },
    {
      name: "Role",
      cell: (member) =>
        mayChange(member) && !isKeeper(member) ? (
          <RoleSelect
            label={`Role of ${member.email}`}
            value={member.role}
            offered={rolesToGive(workspace.role)}
            onChange={(role) => set.mutate({ id: member.id, role })}
          />
        ) : (
          <span title={roles[member.role].about}>{roles[member.role].label}</span>
        ),
    },
    { name: "Budget", cell: (member) => <Budget of={member} /> },
    { name: "Joined", right: true, cell: ({ created_at }) => dayOf(created_at) },
    {
      name: "Actions",
      hidden: true,
      right: true,
      cell: (member) =>
        !isKeeper(member) && (
          <Actions
            {...{ member, self: member.id === own, mayChange: mayChange(member) }}
            onBudget={() => setSpender(member)}
            onRemove={() => setLeaver(member)}
          />
        ),
    },
  ];
  return (
    <>
      {set.error !== null && (
        <div className="p-5">
          <ErrorNote error={set.error} />
        </div>
      )}
      <Table name="Members" rows={members} idOf={({ id }) => id} columns={columns} />
      <EditBudget of={spender} onClose={() => setSpender(null)} />
      <RemoveMember member={leaver} workspace={workspace} self={leaver?.id === own} onClose={() => setLeaver(null)} />
    </>
  );
}

interface ActionsProps {
  member: Member;
  /** The member is who looks. */
  self: boolean;
  mayChange: boolean;
  onBudget: () => void;
  onRemove: () => void;
}

function Actions({ member: { email }, self, mayChange, onBudget, onRemove }: ActionsProps): ReactNode {
  return (
    <div className="flex justify-end">
      {mayChange && (
        <Button kind="quiet" onClick={onBudget} aria-label={`Budget of ${email}`}>
          Budget
        </Button>
      )}
      {(self || mayChange) && (
        <Button kind="quiet" onClick={onRemove} aria-label={self ? undefined : `Remove ${email}`}>
          {self ? "Leave" : "Remove"}
        </Button>
      )}
    </div>
  );
}
