// The sums by group, largest first, each with its share of the total and, where the log can be filtered by it, a way to its requests.
import { Link } from "@tanstack/react-router";
import type { UsageGroup } from "svc-sdk/types";
import type { ReactNode } from "react";
import { count, none, usd } from "../../lib/money.ts";
import type { Usage } from "../../lib/usage.ts";
import { seriesDot } from "../../ui/stacked-bars.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { groupName, metricOf, type UsageSearch } from "./choices.ts";
import type { Series } from "./series.ts";

interface Row extends Pick<Series, "id" | "name" | "sum"> {
  /** Its place, largest first; null: the total. */
  at: number | null;
}

interface GroupTableProps {
  series: readonly Series[];
  group: UsageGroup;
  usage: Usage;
  search: UsageSearch;
}

export function GroupTable({ series, group, usage: { total, largest }, search }: GroupTableProps): ReactNode {
  const metric = metricOf(search);
  const share = ({ sum }: Row) => {
    const all = metric.added ? total[metric.field] : 0;
    if (!metric.added || all === 0) return none;
    return (sum[metric.field] / all).toLocaleString("en-US", { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  };
  const columns: Column<Row>[] = [
    { name: groupName(group), cell: (row) => <Name row={row} isCharted={largest === null} /> },
    { name: "Requests", right: true, cell: ({ sum }) => count(sum.requests) },
    { name: "Errors", right: true, cell: ({ sum }) => count(sum.errors) },
    { name: "Input", right: true, cell: ({ sum }) => count(sum.prompt_tokens) },
    { name: "Cached", right: true, cell: ({ sum }) => count(sum.cached_tokens) },
    { name: "Output", right: true, cell: ({ sum }) => count(sum.completion_tokens) },
    { name: "Cost", right: true, cell: ({ sum }) => usd(sum.cost_usd) },
    { name: `Share of ${metric.label.toLowerCase().replace("usd", "USD")}`, right: true, cell: share },
    { name: "Requests in the log", hidden: true, right: true, cell: (row) => <LogLink row={row} group={group} search={search} /> },
  ];
  return (
    <>
      <Table
        name="Usage"
        rows={series.map((one, at): Row => ({ ...one, at }))}
        idOf={({ id }) => id}
        columns={columns}
        total={{ id: "", name: "Total", sum: total, at: null }}
      />
      {group === "tag" && (
        <p className="px-5 py-3 text-xs text-quiet">
          A request counts for each of its tags, and once in the total. Requests without tags are in the total alone.
        </p>
      )}
    </>
  );
}

/** With the color that it has in the chart. */
function Name({ row: { name, at }, isCharted }: { row: Row; isCharted: boolean }): ReactNode {
  if (at === null || !isCharted) return <span className="break-all">{name}</span>;
  return (
    <span className="flex min-w-32 items-center gap-2">
      <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-sm ${seriesDot(at)}`} />
      <span className="break-all">{name}</span>
    </span>
  );
}

/** The log filters by key and status; a model is searched for. */
function LogLink({
  row: { id, at, name },
  group,
  search: { range, from, to },
}: {
  row: Row;
  group: UsageGroup;
  search: UsageSearch;
}): ReactNode {
  const filter = group === "key" && id !== "" ? { key: id } : group === "status" ? { status: id } : group === "model" ? { q: id } : null;
  if (filter === null || at === null) return null;
  const time = from === undefined && to === undefined ? { range: range ?? "30d" } : { ...(from && { from }), ...(to && { to }) };
  return (
    <Link to="/logs" search={{ ...time, ...filter }} aria-label={`View logs of ${name}`} className="text-accent hover:underline">
      View logs
    </Link>
  );
}
