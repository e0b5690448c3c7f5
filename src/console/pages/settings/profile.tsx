// Who is signed in, and the name of the workspace, which every member sees.
import { useMutation, useQuery } from "@tanstack/react-query";
import { updateWorkspace, type Workspace } from "svc-sdk/functions";
import type { FormEvent, ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { none } from "../../lib/money.ts";
import { queries, sessionQuery } from "../../lib/queries.ts";
import { dayOf } from "../../lib/time.ts";
import { mayManage, roles, workspaceQuery, workspacesQuery } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Card, Facts, Loading } from "../../ui/parts.tsx";

export function Profile(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const { data: workspace, error, refetch } = useQuery(workspaceQuery);
  const user = session?.user;
  return (
    <Card title="Profile">
      <ErrorNote error={error} retry={() => void refetch()} />
      {(user === undefined || workspace === undefined) && error === null && <Loading what="Loading the profile" />}
      {user !== undefined && workspace !== undefined && (
        <div className="grid gap-6 md:grid-cols-2">
          <Facts
            rows={[
              ["Email", user.email],
              ["Name", user.name ?? none],
              ["Member since", dayOf(user.created_at)],
              ["Workspace id", <Id key="id" id={workspace.id} />],
              ["Your role in it", roles[workspace.role].label],
            ]}
          />
          <WorkspaceName key={workspace.id} workspace={workspace} />
        </div>
      )}
    </Card>
  );
}

function Id({ id }: { id: string }): ReactNode {
  return (
    <span className="flex items-center gap-1 font-mono text-xs">
      <span className="min-w-0 break-all">{id}</span> <CopyIcon text={id} what="workspace id" />
    </span>
  );
}

function WorkspaceName({ workspace: { name, role } }: { workspace: Workspace }): ReactNode {
  const save = useMutation({
    mutationFn: (changed: string) => change(() => updateWorkspace(api, { name: changed })),
    onSuccess: (changed) => {
      announce("The workspace is renamed.");
      queries.setQueryData(workspaceQuery.queryKey, changed);
      return queries.invalidateQueries({ queryKey: workspacesQuery.queryKey });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(fieldText(new FormData(event.currentTarget), "name"));
  };
  return (
    <form onSubmit={submit} className="space-y-3">
      <Field
        label="Workspace name"
        name="name"
        required
        maxLength={100}
        autoComplete="off"
        defaultValue={name}
        disabled={!mayManage(role)}
        hint={mayManage(role) ? "All members see it." : "Only owners and admins can change it."}
      />
      <ErrorNote error={save.error} />
      {mayManage(role) && (
        <Button type="submit" busy={save.isPending}>
          Save
        </Button>
      )}
    </form>
  );
}
