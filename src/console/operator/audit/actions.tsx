// The table of operators' actions, for all targets or one: a row opens the action with what changed.
import type { OperatorAction } from "svc-sdk";
import type { ListOperatorActionsQuery } from "svc-sdk/types";
import { listOperatorActions } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { none } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { PagedTable } from "../paged-table.tsx";

interface ActionsProps {
  asked: ListOperatorActionsQuery;
  empty: ReactNode;
  name?: string;
}

export function Actions({ asked, empty, name = "Operators' actions" }: ActionsProps): ReactNode {
  const [open, setOpen] = useState<OperatorAction | null>(null);
  return (
    <>
      <PagedTable
        name={name}
        asked={["actions", asked]}
        read={(cursor) => listOperatorActions(api, { ...asked, ...cursor })}
        idOf={({ id }) => id}
        columns={columns}
        onOpen={setOpen}
        empty={empty}
      />
      <Dialog title="Action" side open={open !== null} onClose={() => setOpen(null)}>
        {open !== null && <ActionDetails action={open} />}
      </Dialog>
    </>
  );
}

function ActionDetails({ action }: { action: OperatorAction }): ReactNode {
  return (
    <Facts
      rows={[
        ["Action", action.action],
        ["Target", action.target ?? none],
        ["Time", when(action.created_at)],
        ["Operator", action.who],
        ["Role", action.role ?? "Command line"],
        ["Reason", action.reason ?? none],
        ["Before", <Values key="before" values={action.before} />],
        ["After", <Values key="after" values={action.after} />],
        ["Address", action.address ?? none],
        ["Session", action.session ?? none],
        ["Request", action.request_id ?? none],
        ["Row", action.id],
      ]}
    />
  );
}

function Values({ values }: { values: Record<string, unknown> | null }): ReactNode {
  if (values === null) return none;
  return <pre className="font-mono text-xs break-all whitespace-pre-wrap">{JSON.stringify(values, null, 2)}</pre>;
}

const columns: readonly Column<OperatorAction>[] = [
  { name: "Action", cell: ({ action }) => <span className="whitespace-nowrap">{action}</span> },
  { name: "Time", cell: ({ created_at }) => <time dateTime={created_at} className="whitespace-nowrap">{when(created_at)}</time> }, // prettier-ignore
  { name: "Operator", cell: ({ who }) => <span className="break-all">{who}</span> },
  { name: "Target", cell: ({ target }) => <span className="font-mono text-xs break-all">{target ?? none}</span> },
  { name: "Reason", cell: ({ reason }) => <span className="block max-w-80 min-w-40 break-words">{reason ?? none}</span> },
];
