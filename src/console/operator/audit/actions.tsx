// The table of operators' actions, for all targets or one: a row opens the action with what changed.
import type { OperatorAction } from "svc-sdk";
import type { ListOperatorActionsQuery } from "svc-sdk/types";
import { listOperatorActions } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { none } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Region } from "../../pages/logs/receipt-parts.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Facts } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { OperatorLink } from "../address.tsx";
import { Differences } from "../differences.tsx";
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
    <div className="space-y-6">
      <Facts
        rows={[
          ["Action", action.action],
          ["Target", <Target key="target" target={action.target} />],
          ["Time", when(action.created_at)],
          ["Operator", action.who],
          ["Role", action.role ?? "Command line"],
          ["Reason", action.reason ?? none],
          ["Address", action.address ?? none],
          ["Session", action.session ?? none],
          ["Request", action.request_id ?? none],
          ["Row", action.id],
        ]}
      />
      <Region title="Changes">
        <Differences before={action.before} after={action.after} />
      </Region>
    </div>
  );
}

/** Accounts and requests have a page or a dialog of their own. */
function Target({ target }: { target: string | null }): ReactNode {
  if (target === null) return none;
  if (/^acc_[1-9]\d*$/.test(target)) return <OperatorLink path={`accounts/${target}`}>{target}</OperatorLink>;
  if (/^req_[0-9a-f]+$/.test(target)) return <OperatorLink path="requests" search={{ request: target }}>{target}</OperatorLink>; // prettier-ignore
  return target;
}

const columns: readonly Column<OperatorAction>[] = [
  { name: "Action", cell: ({ action }) => <span className="whitespace-nowrap">{action}</span> },
  { name: "Time", cell: ({ created_at }) => <time dateTime={created_at} className="whitespace-nowrap">{when(created_at)}</time> }, // prettier-ignore
  { name: "Operator", cell: ({ who }) => <span className="block min-w-36 break-all">{who}</span> },
  { name: "Target", cell: ({ target }) => <span className="block min-w-36 font-mono text-xs break-all">{target ?? none}</span> },
  { name: "Reason", cell: ({ reason }) => <span className="block max-w-80 min-w-40 break-words">{reason ?? none}</span> },
];
