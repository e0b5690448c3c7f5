// What was spent in the last days, as a chart and as a table of the same figures.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { count, usd, usdShort } from "../../lib/money.ts";
import { recentDays } from "../../lib/recent-usage.ts";
import { Bars } from "../../ui/bars.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";

export function Spend(): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const { data, error, refetch } = useQuery(recentDays);
  const total = data?.days.reduce((sum, { spent }) => sum + spent, 0);
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
          <p>
            <span className="figures text-2xl font-semibold">{usdShort(total)}</span> <span className="text-quiet">in the last 7 days</span>
          </p>
          {asTable ? (
            <Table
              name="Spend by day"
              rows={data.days}
              idOf={({ day }) => day}
              columns={[
                { name: "Day", cell: ({ day }) => day },
                { name: "Requests", right: true, cell: ({ requests }) => count(requests) },
                { name: "Spent", right: true, cell: ({ spent }) => usd(spent) },
              ]}
            />
          ) : (
            <Bars
              label="Spend by day, US dollars"
              bars={data.days.map(({ day, spent }) => ({ label: day, value: spent, text: usd(spent) }))}
            />
          )}
          {!data.whole && (
            <p className="text-xs text-quiet">Only the newest {count(data.counted)} requests are counted here: there were more.</p>
          )}
        </div>
      )}
    </Card>
  );
}
