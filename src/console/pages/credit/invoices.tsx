// Invoices: each month of the ledger with its sums and payments, as a document.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { getStatement, listStatements, type Statement } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { download } from "../../lib/save.ts";
import { usd } from "../../lib/money.ts";
import { useMay } from "../../lib/rights.ts";
import { RoleNote } from "../../shell/role-note.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Badge, Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const monthName = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

export function Invoices(): ReactNode {
  const reads = useMay("pay");
  const months = useInfiniteQuery({
    queryKey: ["statements"],
    enabled: reads === true,
    queryFn: ({ pageParam }) => listStatements(api, { limit: 24, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.has_more ? page.last_id : null),
  });
  const save = useMutation({ mutationFn: saveStatement });
  const rows = months.data?.pages.flatMap((page) => page.data);
  const columns: Column<Statement>[] = [
    ...sums,
    {
      name: "Documents",
      right: true,
      cell: ({ month }) => (
        <span className="flex justify-end gap-1">
          {(["PDF", "CSV"] as const).map((form) => (
            <Button
              key={form}
              kind="quiet"
              aria-label={`${form} of ${month}`}
              disabled={save.isPending}
              onClick={() => save.mutate({ month, form })}
            >
              <Icon name="download" size={14} /> {form}
            </Button>
          ))}
        </span>
      ),
    },
  ];
  return (
    <Page
      title="Invoices"
      about="A statement for each month (UTC), with its payments and their numbers. A month has its own number a day after its end."
      actions={
        <Link to="/credit" className="text-accent underline">
          Credit
        </Link>
      }
    >
      <RoleNote right="pay" what="read invoices" />
      <ErrorNote error={months.error ?? save.error} retry={months.error === null ? undefined : () => void months.refetch()} />
      {reads !== false && (
        <Card title="Months" flush>
          {rows === undefined && months.error === null && <Loading what="Loading the months" lines={6} />}
          {rows !== undefined && (
            <Table name="Invoices" rows={rows} idOf={({ month }) => month} columns={columns} empty={<Empty title="No entries yet" />} />
          )}
          {months.hasNextPage && (
            <div className="border-t border-line p-4 text-center">
              <Button busy={months.isFetchingNextPage} onClick={() => void months.fetchNextPage()}>
                Load older months
              </Button>
            </div>
          )}
        </Card>
      )}
    </Page>
  );
}

function saveStatement({ month, form }: { month: string; form: "PDF" | "CSV" }): Promise<void> {
  const accept = form === "PDF" ? "application/pdf" : "text/csv";
  const path = `/v1/credits/statements/${encodeURIComponent(month)}`;
  return download({ path, accept, name: `statement-${month}.${form.toLowerCase()}`, again: () => getStatement(api, month) });
}

const sums: readonly Column<Statement>[] = [
  {
    name: "Month",
    cell: ({ month, final }) => (
      <span className="flex items-center gap-2 whitespace-nowrap">
        {monthName.format(new Date(`${month}-01T00:00:00Z`))} {!final && <Badge>So far</Badge>}
      </span>
    ),
  },
  { name: "Number", cell: ({ number }) => number },
  { name: "Opening balance", right: true, cell: ({ opening_balance_usd }) => usd(opening_balance_usd) },
  { name: "Payments", right: true, cell: ({ topups_usd }) => usd(topups_usd) },
  { name: "Granted", right: true, cell: ({ grants_usd }) => usd(grants_usd) },
  { name: "Charges", right: true, cell: ({ charges_usd }) => usd(charges_usd) },
  { name: "Closing balance", right: true, cell: ({ closing_balance_usd }) => usd(closing_balance_usd) },
];
