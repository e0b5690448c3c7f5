// What was charged by hour or day, divided into what providers cost and what is left of it.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { usd } from "../../lib/money.ts";
import { rangeOf, startName } from "../../lib/range.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loading } from "../../ui/parts.tsx";
import { StackedBars } from "../../ui/stacked-bars.tsx";
import { Table } from "../../ui/table.tsx";
import { useAddress } from "../address.tsx";
import { ChartCard } from "../chart-card.tsx";
import { addEarnings, earningsOf, readOperatorUsage } from "../usage.ts";
import { earningsColumns } from "./earnings-columns.tsx";

export function OverTime(): ReactNode {
  const { search } = useAddress();
  const { range: preset, from, to } = search;
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "usage", preset, from, to],
    queryFn: async () => {
      const range = rangeOf(search, "24h");
      return { range, ...(await readOperatorUsage(range, { bucket: range.bucket })) };
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  if (data === undefined)
    return <ChartCard title="Over time" chart={undefined} table={<div className="p-5">{error === null ? <Loading what="Loading the sums" lines={6} /> : <ErrorNote error={error} retry={() => void refetch()} />}</div>} />; // prettier-ignore
  const { starts, bucket } = data.range;
  const times = starts.map((start, at) => {
    const next = starts[at + 1]?.getTime() ?? Infinity;
    const rows = data.data.filter((row) => (at === 0 || Date.parse(row.start) >= start.getTime()) && Date.parse(row.start) < next);
    return { ...addEarnings(rows), name: startName(start, bucket) };
  });
  const part = (amount: number | null) => (amount === null ? null : Math.max(amount, 0));
  const series = [
    { id: "cost", name: "Provider's cost", values: times.map(({ cost }) => part(cost)) },
    { id: "margin", name: "Margin", values: times.map(({ margin }) => part(margin)) },
    { id: "unmatched", name: "Cost unknown", values: times.map(({ unmatched }) => unmatched) },
  ].filter(({ id }) => id !== "unmatched" || data.total.revenue_without_cost_usd > 0);
  return (
    <ChartCard
      title="Over time"
      chart={
        <div className="space-y-3 px-5 pb-5">
          <StackedBars label={`Charged by ${bucket}`} labels={times.map(({ name }) => name)} series={series} text={usd} />
          <p className="text-xs text-quiet">
            US dollars. Refunds are not taken off here; what no route names the cost of is no margin. Where the cost is above the charge,
            the bar is the cost: the table has the loss.
          </p>
        </div>
      }
      table={
        <div className="max-h-96 overflow-y-auto">
          <Table
            name="Earnings over time"
            rows={times}
            idOf={({ name }) => name}
            columns={[
              { name: "Time", cell: ({ name }: { name: string }) => <span className="whitespace-nowrap">{name}</span> },
              ...earningsColumns,
            ]}
            total={{ ...earningsOf(data.total), name: "Total" }}
          />
        </div>
      }
    />
  );
}
