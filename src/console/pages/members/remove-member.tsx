// Removing a member or leaving: what happens to the keys that the person created is chosen with it.
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { leaveWorkspace, type Member, removeMember, type Workspace } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { queries } from "../../lib/queries.ts";
import { enterWorkspace } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Confirm } from "../../ui/dialog.tsx";

interface RemoveMemberProps {
  member: Pick<Member, "id" | "email"> | null;
  workspace: Workspace;
  /** The member is who asks. */
  self: boolean;
  onClose: () => void;
}

export function RemoveMember({ member, workspace, self, onClose }: RemoveMemberProps): ReactNode {
  const [keep, setKeep] = useState(false);
  const navigate = useNavigate();
  const keys = { keys: keep ? ("keep" as const) : ("disable" as const) };
  const remove = useMutation({
    mutationFn: ({ id }: Pick<Member, "id" | "email">) => change(() => (self ? leaveWorkspace(api, keys) : removeMember(api, id, keys))),
    onSuccess: ({ keys_disabled }, { email }) => {
      const disabled = keys_disabled === 0 ? "" : ` ${keys_disabled} ${keys_disabled === 1 ? "key is" : "keys are"} disabled.`;
      announce(`${self ? `You left ${workspace.name}` : `${email} is no longer a member`}.${disabled}`);
      close();
      if (!self) return queries.invalidateQueries({ queryKey: ["members"] });
      enterWorkspace(null);
      return navigate({ to: "/" });
    },
  });
  const close = () => (setKeep(false), remove.reset(), onClose());
  return (
    <Confirm
      action={self ? "Leave workspace" : "Remove member"}
      open={member !== null}
      busy={remove.isPending}
      error={remove.error}
      onClose={close}
      onConfirm={() => member !== null && remove.mutate(member)}
    >
      <p>
        {self ? (
          <>
            You leave <strong>{workspace.name}</strong>. You can come back only if you are invited again.
          </>
        ) : (
          <>
            <strong>{member?.email}</strong> is removed from <strong>{workspace.name}</strong> and notified by mail.
          </>
        )}
      </p>
      <label className="flex items-start gap-2">
        <input type="checkbox" checked={keep} onChange={(event) => setKeep(event.target.checked)} className="mt-1" />
        <span>
          {self ? "Keys that you created" : "Keys that the person created"} keep working. Otherwise they are disabled within a second.
        </span>
      </label>
    </Confirm>
  );
}
