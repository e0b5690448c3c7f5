// Inviting by email: the mail's link is good for a week and for the invited address alone.
import { useMutation } from "@tanstack/react-query";
import { createInvitation } from "svc-sdk/functions";
import type { Role } from "svc-sdk/types";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { queries } from "../../lib/queries.ts";
import { roles, rolesToGive } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Select } from "../../ui/field.tsx";

export function Invite({ own, open, onClose }: { own: Role; open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Invite" open={open} onClose={onClose}>
      <InviteForm own={own} onClose={onClose} />
    </Dialog>
  );
}

function InviteForm({ own, onClose }: { own: Role; onClose: () => void }): ReactNode {
  const [role, setRole] = useState<Role>("developer");
  const invite = useMutation({
    mutationFn: (email: string) => change(() => createInvitation(api, { email, role })),
    onSuccess: ({ email }) => (announce(`An email is on its way to ${email}.`), onClose()),
    onSettled: () => queries.invalidateQueries({ queryKey: ["invitations"] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    invite.mutate(fieldText(new FormData(event.currentTarget), "email"));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label="Email" name="email" type="email" required maxLength={254} autoFocus autoComplete="off" />
      <Select
        label="Role"
        value={role}
        choices={rolesToGive(own).map((value) => ({ value, label: roles[value].label }))}
        onChange={(event) => setRole(event.target.value as Role)}
        hint={`${roles[role].about}.`}
      />
      <ErrorNote error={invite.error} />
      <DialogButtons action="Send invitation" busy={invite.isPending} onClose={onClose} />
    </form>
  );
}
