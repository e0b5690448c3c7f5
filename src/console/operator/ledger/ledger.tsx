// Ledger: the money of all accounts as it stands, what waits in holds, and audits that recompute it.
import { useQuery } from "@tanstack/react-query";
import type { OperatorLedger } from "svc-sdk";
import { startLedgerAudit } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { count, none, usd } from "../../lib/money.ts";
import { ago, when, zoneName } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { OperatorLink } from "../address.tsx";
import { Actions } from "../audit/actions.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import { ledgerQuery } from "../queries.ts";
import { useMay } from "../role.ts";
import { AuditFound } from "./audit-found.tsx";
import { AuditStatus } from "./audit-status.tsx";

export function Ledger(): ReactNode {
  const { data, error, refetch } = useQuery({
    ...ledgerQuery,
    refetchInterval: ({ state }) => (state.data?.audit?.status === "running" ? 2_000 : 30_000),
  });
  return (
    <Page
      title="Ledger"
      about={`All accounts' money${data === undefined ? "" : ` as of ${when(data.as_of)}`}, and what calls hold now. Times are in your zone, ${zoneName}.`}
      actions={<RunAudit running={data?.audit?.status === "running"} />}
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the ledger" lines={8} />}
      {data !== undefined && (
        <>
          <Card title="Ledger" flush>
            <Table name="Ledger" rows={linesOf(data)} idOf={({ name }) => name} columns={columns} />
          </Card>
          <NewestAudit ledger={data} />
        </>
      )}
      <Card title="Audits started by operators" flush>
        <Actions
          name="Audits started by operators"
          asked={{ action: "ledger.audit" }}
          empty={<Empty title="No operator has started an audit yet" />}
        />
      </Card>
    </Page>
  );
}

function RunAudit({ running }: { running: boolean }): ReactNode {
  const [open, setOpen] = useState(false);
  const may = useMay("finance");
  if (!may) return <p className="text-quiet">An audit needs the role finance.</p>;
  return (
    <>
      <Button kind="primary" disabled={running} onClick={() => setOpen(true)}>
        {running ? "An audit is running" : "Run audit"}
      </Button>
      <ChangeDialog
        action="Run audit"
        open={open}
        onClose={() => setOpen(false)}
        make={async (reason) => (await startLedgerAudit(api, { reason }), "The audit is running.")}
      >
        <p>
          It recomputes each balance from the entries and verifies the hash chain, in the background. It changes nothing. While it runs, it
          reads the whole ledger: on a large one, choose a quiet hour.
        </p>
      </ChangeDialog>
    </>
  );
}

function NewestAudit({ ledger: { audit, last_result } }: { ledger: OperatorLedger }): ReactNode {
  if (audit === null)
    return (
      <Card title="Audit">
        <p className="text-quiet">
          No operator has started an audit yet. On the command line <code>npx svc ledger audit</code> and <code>npx svc ledger verify</code>{" "}
          do the same.
        </p>
      </Card>
    );
  return (
    <Card title="Audit">
      <div className="space-y-5">
        <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1" aria-live="polite">
          <AuditStatus status={audit.status} />
          <span className="break-words text-quiet">
            {audit.ended_at === null ? `Started ${ago(audit.started_at)}` : `Ended ${when(audit.ended_at)}`}, by {audit.started_by}.
          </span>
        </p>
        {audit.status === "failed" && <p>It could not finish. The gateway's log says why.</p>}
        {last_result !== null && last_result.id !== audit.id && <p className="text-quiet">The newest audit with a result is older:</p>}
        {last_result !== null && <AuditFound audit={last_result} />}
      </div>
    </Card>
  );
}

interface Line {
  name: string;
  number: number;
  amount: number;
  oldest: string | null;
  path?: string;
}

/** What of it needs a look has a link to where it is found. */
function linesOf(ledger: OperatorLedger): Line[] {
  return [
    { name: "Accounts", number: ledger.accounts, amount: ledger.balance_usd, oldest: null, path: "accounts" },
    { name: "Accounts below 0", number: ledger.negative_accounts, amount: -ledger.negative_usd, oldest: null },
    { name: "Holds of calls", number: ledger.holds_open, amount: ledger.held_usd, oldest: ledger.oldest_hold_at },
    {
      name: "Holds of media jobs",
      number: ledger.media_holds_open,
      amount: ledger.media_held_usd,
      oldest: ledger.oldest_media_hold_at,
      path: "jobs",
    },
  ];
}

const columns: readonly Column<Line>[] = [
  {
    name: "Of",
    cell: ({ name, path }) => (
      <span className="block min-w-36">{path === undefined ? name : <OperatorLink path={path}>{name}</OperatorLink>}</span>
    ),
  },
  { name: "Number", right: true, cell: ({ number }) => count(number) },
  { name: "Amount", right: true, cell: ({ amount }) => usd(amount) },
  { name: "Oldest", right: true, cell: ({ oldest }) => (oldest === null ? none : <time dateTime={oldest}>{when(oldest)}</time>) },
];
