// The ledger of an account.
import type { LedgerEntry } from "svc-sdk";
import { listAccountLedger } from "svc-sdk/operator";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Empty } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { PagedTable } from "../paged-table.tsx";

export function AccountLedger({ id }: { id: string }): ReactNode {
  return (
    <PagedTable
      name="Ledger entries"
      asked={[id]}
      read={(cursor) => listAccountLedger(api, id, cursor)}
      idOf={({ id: entry }) => entry}
      columns={columns}
      empty={<Empty title="No entries" />}
    />
  );
}

const columns: readonly Column<LedgerEntry>[] = [
  { name: "Time", cell: ({ created_at }) => <time dateTime={created_at} className="whitespace-nowrap">{when(created_at)}</time> }, // prettier-ignore
  {
    name: "Type",
    cell: ({ type, reason }) => (
      <span className="break-words">
        {type.replaceAll("_", " ")}
        {reason === undefined ? "" : `: ${reason}`}
      </span>
    ),
  },
  { name: "Entry", cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
  { name: "Reference", cell: ({ ref }) => <span className="block min-w-44 font-mono text-xs break-all">{ref}</span> },
  { name: "Amount", right: true, cell: ({ amount_usd }) => `${amount_usd > 0 ? "+" : ""}${usd(amount_usd)}` },
  { name: "Balance after", right: true, cell: ({ balance_after }) => usd(balance_after) },
];
