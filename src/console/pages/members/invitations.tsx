// Who is invited and has not come yet: send the mail again, or take the invitation back.
import { useMutation, useQuery } from "@tanstack/react-query";
import { type Invitation, listInvitations, resendInvitation, revokeInvitation } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { queries } from "../../lib/queries.ts";
import { dayOf } from "../../lib/time.ts";
import { roles } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Badge, Card, Empty, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const reload = () => queries.invalidateQueries({ queryKey: ["invitations"] });

export function Invitations(): ReactNode {
  const [revoking, setRevoking] = useState<Invitation | null>(null);
  const { data, error, refetch } = useQuery({ queryKey: ["invitations"], queryFn: () => listInvitations(api).then((list) => list.data) });
  const again = useMutation({
    mutationFn: ({ id }: Invitation) => change(() => resendInvitation(api, id)),
    onSuccess: ({ email }) => (announce(`The email to ${email} was sent again.`), reload()),
  });
  const revoke = useMutation({
    mutationFn: ({ id }: Invitation) => change(() => revokeInvitation(api, id)),
    onSuccess: (_, { email }) => (announce(`The invitation to ${email} is revoked.`), setRevoking(null), reload()),
  });
  const actions: Column<Invitation> = {
    name: "Actions",
    hidden: true,
    stays: true,
    right: true,
    cell: (invitation) => (
      <Menu label={`Actions for ${invitation.email}`} trigger={<Icon name="more" />}>
        <MenuItem onSelect={() => again.mutate(invitation)}>Send again</MenuItem>
        <MenuItem danger onSelect={() => (revoke.reset(), setRevoking(invitation))}>
          Revoke
        </MenuItem>
      </Menu>
    ),
  };
  return (
    <Card title="Invitations" flush>
      {(error ?? again.error) !== null && (
        <div className="p-5">
          <ErrorNote error={error ?? again.error} retry={error === null ? undefined : () => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && <Loading what="Loading the invitations" />}
      {data !== undefined && (
        <Table
          name="Invitations"
          rows={data}
          idOf={({ id }) => id}
          columns={[...columns, actions]}
          empty={<Empty title="No open invitations" />}
        />
      )}
      <Confirm
        action="Revoke invitation"
        open={revoking !== null}
        busy={revoke.isPending}
        error={revoke.error}
        onClose={() => setRevoking(null)}
        onConfirm={() => revoking !== null && revoke.mutate(revoking)}
      >
        <p>
          The link in the email to <strong>{revoking?.email}</strong> will stop working.
        </p>
      </Confirm>
    </Card>
  );
}

const columns: readonly Column<Invitation>[] = [
  { name: "Email", cell: ({ email }) => <span className="break-all">{email}</span> },
  { name: "Role", cell: ({ role }) => roles[role].label },
  { name: "Status", cell: ({ status }) => <Badge tone={status === "expired" ? "warn" : "quiet"}>{status === "expired" ? "Expired" : "Invited"}</Badge> }, // prettier-ignore
  { name: "Sent", right: true, cell: ({ sent_at }) => dayOf(sent_at) },
  { name: "Expires", right: true, cell: ({ expires_at }) => dayOf(expires_at) },
];
