// The chart's values as a table: a row for each hour, day or month, a column for each series.
import type { ReactNode } from "react";
import type { StackedSeries } from "../../ui/stacked-bars.tsx";
import { Table } from "../../ui/table.tsx";

interface SeriesTableProps {
  labels: readonly string[];
  series: readonly StackedSeries[];
  text: (value: number | null) => string;
}

export function SeriesTable({ labels, series, text }: SeriesTableProps): ReactNode {
  return (
    <div className="max-h-96 overflow-y-auto">
      <Table
        name="Values of the chart"
        rows={labels.map((label, at) => ({ label, at }))}
        idOf={({ label }) => label}
        columns={[
          { name: "Time", cell: ({ label }) => <span className="whitespace-nowrap">{label}</span> },
          ...series.map(({ name, values }) => ({ name, right: true, cell: ({ at }: { at: number }) => text(values[at] ?? null) })),
        ]}
      />
    </div>
  );
}
