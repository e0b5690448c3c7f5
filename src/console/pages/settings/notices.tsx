// What the workspace is told by mail: from which balance on credit is low, and whose members hear of what.
import { useMutation, useQuery } from "@tanstack/react-query";
import { getNotices, updateNotices } from "svc-sdk/functions";
import type { MailChoice, NoticeSettings, NoticeSettingsChange } from "svc-sdk/types";
import type { FormEvent, ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { queries } from "../../lib/queries.ts";
import { mayManage, workspaceQuery } from "../../lib/workspace.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { eventNames } from "./event-names.ts";

type NoticeRole = MailChoice["roles"][number];

const receivers: readonly (readonly [NoticeRole, string])[] = [["owner", "Owners"], ["admin", "Admins"], ["billing", "Billing"]]; // prettier-ignore

export function Notices(): ReactNode {
  const { data: workspace } = useQuery(workspaceQuery);
  // Developers and viewers may not read them.
  const reads = workspace !== undefined && (mayManage(workspace.role) || workspace.role === "billing");
  const { data, error, refetch } = useQuery({ queryKey: ["notices"], queryFn: () => getNotices(api), enabled: reads });
  const save = useMutation({
    mutationFn: (changed: NoticeSettingsChange) => change(() => updateNotices(api, changed)),
    onSuccess: (saved) => (announce("The notices are saved."), queries.setQueryData(["notices"], saved)),
  });
  if (workspace !== undefined && !reads) return null;
  return (
    <Card title="Notices">
      <div className="space-y-4">
        <ErrorNote error={error ?? save.error} retry={error === null ? undefined : () => void refetch()} />
        {data === undefined && error === null && <Loading what="Loading the notices" />}
        {data !== undefined && (
          <NoticeForm
            settings={data}
            readOnly={!mayManage(workspace?.role)}
            busy={save.isPending}
            save={(changed) => save.mutate(changed)}
          />
        )}
      </div>
    </Card>
  );
}

interface NoticeFormProps {
  settings: NoticeSettings;
  readOnly: boolean;
  busy: boolean;
  save: (changed: NoticeSettingsChange) => void;
}

function NoticeForm({ settings: { low_balance_usd, mails }, readOnly, busy, save }: NoticeFormProps): ReactNode {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const low = fieldText(new FormData(event.currentTarget), "low");
    save({ low_balance_usd: low === "" ? null : Number(low) });
  };
  const columns: Column<MailChoice>[] = [
    { name: "Event", cell: ({ event }) => <span className="block min-w-36">{eventNames[event]}</span> },
    ...receivers.map(([role, label]) => ({
      name: label,
      cell: ({ event, roles }: MailChoice) => (
        <input
          type="checkbox"
          aria-label={`${label} by mail: ${eventNames[event]}`}
          checked={roles.includes(role)}
          disabled={readOnly || busy}
          onChange={({ target }) => {
            const others = roles.filter((one) => one !== role);
            save({ mails: [{ event, roles: target.checked ? [...others, role] : others }] });
          }}
        />
      ),
    })),
  ];
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <Field
          label="Low balance (USD)"
          name="low"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          placeholder="No notice"
          defaultValue={low_balance_usd ?? ""}
          disabled={readOnly}
        />
        {!readOnly && (
          <Button type="submit" busy={busy}>
            Save
          </Button>
        )}
      </form>
      <Table name="Notices" rows={mails} idOf={({ event }) => event} columns={columns} />
    </>
  );
}
