// What was spent in the last days, as a chart and as a table of the same sums.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { count, usd, usdShort } from "../../lib/money.ts";
import { addUp, type Usage, weekQuery } from "../../lib/usage.ts";
import { Bars } from "../../ui/bars.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";

export function Spend(): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const { data, error, refetch } = useQuery(weekQuery);
  return (
    <Card
      title="Spend"
      className="lg:col-span-2"
      actions={
        <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? "Show chart" : "Show table"}
        </Button>
      }
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading what was spent" lines={5} />}
      {data !== undefined && (
        <div className="space-y-4">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <p title={usd(data.total.cost_usd)}>
              <span className="figures text-2xl font-semibold">{usdShort(data.total.cost_usd)}</span>{" "}
              <span className="text-quiet">in the last 7 days</span>
            </p>
            <Link to="/usage" search={{ range: "7d", group: "model" }} className="ml-auto text-accent hover:underline">
              By model
            </Link>
          </div>
          <Days usage={data} asTable={asTable} />
          <p className="figures text-xs text-quiet">
            {count(data.total.requests)} requests, {count(data.total.errors)} of them failed; {count(data.total.prompt_tokens)} input tokens
            ({count(data.total.cached_tokens)} cached), {count(data.total.completion_tokens)} output tokens
          </p>
        </div>
      )}
    </Card>
  );
}

const name = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });

function Days({ usage: { range, rows }, asTable }: { usage: Usage; asTable: boolean }): ReactNode {
  const days = range.starts.map((start) => {
    const sum = addUp(rows.filter((row) => new Date(row.start).getTime() === start.getTime()));
    return { ...sum, day: name.format(start) };
  });
  if (!asTable)
    return (
      <Bars
        label="Spend by day, US dollars"
        bars={days.map(({ day, cost_usd }) => ({ label: day, value: cost_usd, text: usd(cost_usd) }))}
      />
    );
  return (
    <Table
      name="Spend by day"
      rows={days}
      idOf={({ day }) => day}
      columns={[
        { name: "Day", cell: ({ day }) => day },
        { name: "Requests", right: true, cell: ({ requests }) => count(requests) },
        { name: "Spent", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
      ]}
    />
  );
}
