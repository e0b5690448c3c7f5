// Which workspace the tab acts in: keys, usage and credit are a workspace's. Another one can be created here.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createWorkspace } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { api, change } from "../lib/api.ts";
import { fieldText } from "../lib/form.ts";
import { enterWorkspace, isGoneWorkspace, workspaceQuery, workspacesQuery } from "../lib/workspace.ts";
import { announce } from "../ui/announce.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, MenuItem } from "../ui/menu.tsx";

export function WorkspaceSwitch(): ReactNode {
  const { data: workspaces = [] } = useQuery(workspacesQuery);
  const { data: current, error } = useQuery(workspaceQuery);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const choose = (id: string | null) => (enterWorkspace(id), void navigate({ to: "/" }));
  const gone = isGoneWorkspace(error);
  useEffect(() => {
    if (!gone) return;
    announce("You are no longer a member of that workspace. This is your own.");
    enterWorkspace(null);
    void navigate({ to: "/" });
  }, [gone, navigate]);
  return (
    <>
      <Menu
        className="w-full border border-line text-text!"
        trigger={
          <>
            <span className="sr-only">Workspace: </span>
            <span className="min-w-0 flex-1 truncate text-left">{current?.name ?? "…"}</span>
            <Icon name="down" size={14} />
          </>
        }
      >
        {workspaces.map(({ id, name, personal }) => (
          <MenuItem key={id} onSelect={() => choose(personal ? null : id)}>
            <span className="max-w-56 truncate">{name}</span>
            {id === current?.id && <Icon name="check" />}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setCreating(true)}>
          <Icon name="plus" /> Create workspace
        </MenuItem>
      </Menu>
      <Dialog title="Create workspace" open={creating} onClose={() => setCreating(false)}>
        <CreateWorkspace onClose={() => setCreating(false)} onMade={choose} />
      </Dialog>
    </>
  );
}

function CreateWorkspace({ onClose, onMade }: { onClose: () => void; onMade: (id: string) => void }): ReactNode {
  const create = useMutation({
    mutationFn: (name: string) => change(() => createWorkspace(api, { name })),
    onSuccess: ({ id, name }) => (announce(`${name} is created.`), onClose(), onMade(id)),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(fieldText(new FormData(event.currentTarget), "name"));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <p className="text-quiet">A workspace has its own keys, credit and members. It starts without credit.</p>
      <Field label="Name" name="name" required maxLength={100} autoFocus autoComplete="off" />
      <ErrorNote error={create.error} />
      <DialogButtons action="Create workspace" busy={create.isPending} onClose={onClose} />
    </form>
  );
}
