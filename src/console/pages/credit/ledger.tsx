// The ledger: every entry with the balance after it, newest first.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type LedgerEntry, listLedgerEntries } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Card, Empty, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

type EntryType = LedgerEntry["type"];
const names: Record<EntryType, string> = {
  purchase: "Purchase",
  signup_bonus: "Signup credit",
  usage: "Usage",
  hold: "Hold",
  hold_settle: "Hold settled",
  hold_release: "Hold released",
  refund: "Refund",
  gift: "Gift",
  adjustment: "Adjustment",
  payment_refund: "Payment refunded",
  dispute: "Dispute",
};
const isType = (value: string | undefined): value is EntryType => value !== undefined && value in names;

export function Ledger(): ReactNode {
  const { type: wanted } = useSearch({ from: "/inside/credit" });
  const navigate = useNavigate();
  const type = isType(wanted) ? wanted : null;
  const ledger = useInfiniteQuery({
    queryKey: ["ledger", type],
    queryFn: ({ pageParam }) =>
      listLedgerEntries(api, { limit: 50, ...(type === null ? {} : { type }), ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.has_more ? page.last_id : null),
  });
  const rows = ledger.data?.pages.flatMap((page) => page.data);
  const choices = [{ value: "", label: "All" }, ...Object.entries(names).map(([value, label]) => ({ value, label }))];
  return (
    <Card
      title="Ledger"
      flush
      actions={
        <Select
          label="Type"
          inline
          value={type ?? ""}
          choices={choices}
          onChange={({ target: { value } }) => void navigate({ to: "/credit", search: value === "" ? {} : { type: value }, replace: true })}
        />
      }
    >
      {
        ledger.error !== null && <div className="p-5"><ErrorNote error={ledger.error} retry={() => void ledger.refetch()} /></div> /* prettier-ignore */
      }
      {rows === undefined && ledger.error === null && <Loading what="Loading the ledger" lines={6} />}
      {rows !== undefined && (
        <Table name="Ledger" rows={rows} idOf={({ id }) => id} columns={columns} empty={<Empty title="No entries" />} />
      )}
      {ledger.hasNextPage && (
        <div className="border-t border-line p-4 text-center">
          <Button busy={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
            Load older entries
          </Button>
        </div>
      )}
    </Card>
  );
}

const columns: readonly Column<LedgerEntry>[] = [
  { name: "Time", cell: ({ created_at }) => <time dateTime={created_at} className="whitespace-nowrap">{when(created_at)}</time> }, // prettier-ignore
  { name: "Type", cell: ({ type, reason }) => <span>{names[type]}{reason === undefined ? "" : `: ${reason}`}</span> }, // prettier-ignore
  { name: "Reference", cell: ({ ref }) => <span className="block min-w-44 font-mono text-xs break-all">{ref}</span> },
  { name: "Amount", right: true, cell: ({ amount_usd }) => <span className={amount_usd > 0 ? "text-good" : ""}>{amount_usd > 0 ? "+" : ""}{usd(amount_usd)}</span> }, // prettier-ignore
  { name: "Balance after", right: true, cell: ({ balance_after }) => usd(balance_after) },
];
