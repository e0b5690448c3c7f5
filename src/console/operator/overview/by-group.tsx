// Which accounts, models, providers or routes the requests of the range were of: the largest first.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { OperatorUsageGroup } from "svc-sdk/types";
import type { ReactNode } from "react";
import { rangeOf } from "../../lib/range.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Card, Empty, Loading } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";
import { OperatorLink, useAddress } from "../address.tsx";
import { type Earnings, earningsOf, readOperatorUsage } from "../usage.ts";
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
    queryFn: async () => {
      const largest = { bucket: "all", order: "cost", limit: mostShown } as const;
      return { group, ...(await readOperatorUsage(rangeOf(search, "24h"), { ...largest, group_by: [group] })) };
    },
    placeholderData: keepPreviousData,
  });
  const sums = data === undefined ? [] : data.data.map((row): Sum => ({ id: row[data.group] ?? "", ...earningsOf(row) }));
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
          rows={sums}
          idOf={({ id }) => id}
          empty={<Empty title="No requests in this period" />}
          columns={[{ name: groups[data.group], cell: ({ id }: Sum) => <Named group={data.group} id={id} /> }, ...earningsColumns]}
        />
      )}
      {data?.has_more && <p className="border-t border-line px-5 py-3 text-quiet">{`The ${mostShown} largest; there are more.`}</p>}
    </Card>
  );
}

type Sum = Earnings & { id: string };

function Named({ group, id }: { group: Group; id: string }): ReactNode {
  if (id === "") return <span className="text-quiet">No provider was called</span>;
  if (group === "account") return <OperatorLink path={`accounts/${id}`}>{id}</OperatorLink>;
  if (group === "model") return <OperatorLink path="requests" search={{ q: id }}>{id}</OperatorLink>; // prettier-ignore
  return <span className="break-all">{id}</span>;
}
