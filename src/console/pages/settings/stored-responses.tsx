// Whether the workspace stores its responses and conversations, and for how long.
import { useMutation, useQuery } from "@tanstack/react-query";
import { updateWorkspace, type Workspace } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { queries } from "../../lib/queries.ts";
import { mayManage, workspaceQuery } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Card } from "../../ui/parts.tsx";

export function StoredResponses(): ReactNode {
  const { data: workspace } = useQuery(workspaceQuery);
  if (workspace === undefined) return null;
  const { id, role, response_retention_days: days } = workspace;
  return (
    <Card title="Stored responses">
      <div className="space-y-4">
        <p className="max-w-2xl">
          {days === null
            ? "Nothing you send to /v1/responses is stored."
            : `Responses are stored for ${days} ${days === 1 ? "day" : "days"}, encrypted; conversations for the same time after their last change.`}{" "}
          <span className="text-quiet">
            When responses are stored, a request can continue an earlier response or a conversation instead of sending everything again.
          </span>
        </p>
        {mayManage(role) && <Retention key={`${id} ${days}`} days={days} />}
      </div>
    </Card>
  );
}

function Retention({ days }: { days: number | null }): ReactNode {
  const [stopping, setStopping] = useState(false);
  const save = useMutation({
    mutationFn: (changed: number | null) => change(() => updateWorkspace(api, { response_retention_days: changed })),
    onSuccess: (changed: Workspace) => {
      announce(changed.response_retention_days === null ? "Nothing is stored from now on." : "Responses are stored from now on.");
      queries.setQueryData(workspaceQuery.queryKey, changed);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate(Number(fieldText(new FormData(event.currentTarget), "days")));
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <Field
          label="Days to store them"
          name="days"
          type="number"
          min="1"
          max="365"
          step="1"
          inputMode="numeric"
          required
          defaultValue={days ?? 30}
          className="w-44"
        />
        <Button type="submit" busy={save.isPending}>
          {days === null ? "Store responses" : "Save"}
        </Button>
        {days !== null && (
          <Button kind="danger" onClick={() => setStopping(true)}>
            Stop storing
          </Button>
        )}
      </form>
      {days !== null && <p className="text-xs text-quiet">A shorter time deletes older ones at once.</p>}
      {!stopping && <ErrorNote error={save.error} />}
      <Confirm
        action="Stop storing"
        open={stopping}
        busy={save.isPending}
        error={save.error}
        onClose={() => setStopping(false)}
        onConfirm={() => save.mutate(null)}
      >
        <p>All responses and conversations that this workspace stores are deleted, and no more are stored.</p>
      </Confirm>
    </>
  );
}
