// Which accounts, models, providers or routes the requests of the range were of: the largest first.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { OperatorUsageGroup, OperatorUsageSummaryRow } from "svc-sdk/types";
import type { ReactNode } from "react";
import { count } from "../../lib/money.ts";
import { rangeOf } from "../../lib/range.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Card, Empty, Loading } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";
import { OperatorLink, useAddress } from "../address.tsx";
import { addEarnings, type Earnings, readOperatorUsage } from "../usage.ts";
import { earningsColumns } from "./earnings-columns.tsx";

const groups = { account: "Account", model: "Model", provider: "Provider", route: "Route" } as const;
type Group = keyof typeof groups & OperatorUsageGroup;
const isGroup = (word: string | undefined): word is Group => word !== undefined && word in groups;

const mostShown = 50;

export function ByGroup(): ReactNode {
  const { search, set } = useAddress();
  const { range, from, to } = search;
  const group = isGroup(search.group) ? search.group : "account";
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "usage", "group", group, range, from, to],
    // Months, because the fewest rows have the same sums.
    queryFn: async () => ({ group, ...(await readOperatorUsage(rangeOf(search, "24h"), "month", group)) }),
    placeholderData: keepPreviousData,
  });
  const sums = data === undefined ? [] : sumsOf(data.rows, data.group);
  return (
    <Card
      title="By group"
      flush
      actions={
        <Select
          label="Group by"
          inline
          value={group}
          choices={Object.entries(groups).map(([value, label]) => ({ value, label }))}
          onChange={(event) => set({ group: event.target.value })}
        />
      }
    >
      {error !== null && <div className="p-5"><ErrorNote error={error} retry={() => void refetch()} /></div> /* prettier-ignore */}
      {data === undefined && error === null && <Loading what="Loading the groups" lines={5} />}
      {data !== undefined && (
        <Table
          name="By group"
          rows={sums.slice(0, mostShown)}
          idOf={({ id }) => id}
          empty={<Empty title="No requests in this period" />}
          columns={[{ name: groups[data.group], cell: ({ id }: Sum) => <Named group={data.group} id={id} /> }, ...earningsColumns]}
        />
      )}
      {data !== undefined && (sums.length > mostShown || !data.whole) && (
        <p className="border-t border-line px-5 py-3 text-quiet">
          {data.whole ? `The ${mostShown} largest of ${count(sums.length)}.` : `The ${mostShown} largest of those read; there are more.`}
        </p>
      )}
    </Card>
  );
}

type Sum = Earnings & { id: string };

function sumsOf(rows: readonly OperatorUsageSummaryRow[], group: Group): Sum[] {
  const grouped = new Map<string, OperatorUsageSummaryRow[]>();
  for (const row of rows) {
    const id = row[group] ?? "";
    const own = grouped.get(id);
    if (own === undefined) grouped.set(id, [row]);
    else own.push(row);
  }
  const sums = [...grouped].map(([id, own]) => ({ id, ...addEarnings(own) }));
  return sums.sort((one, other) => other.charged - one.charged || other.requests - one.requests || one.id.localeCompare(other.id));
}

function Named({ group, id }: { group: Group; id: string }): ReactNode {
  if (id === "") return <span className="text-quiet">No provider was called</span>;
  if (group === "account") return <OperatorLink path={`accounts/${id}`}>{id}</OperatorLink>;
  if (group === "model") return <OperatorLink path="requests" search={{ q: id }}>{id}</OperatorLink>; // prettier-ignore
  return <span className="break-all">{id}</span>;
}
