// Usage: one metric over a range of time, in all or by group. Headline, chart and table are made of the same rows.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { membersQuery } from "../../lib/members.ts";
import { count } from "../../lib/money.ts";
import { keysQuery } from "../../lib/queries.ts";
import { rangeName, rangeOf, startName } from "../../lib/range.ts";
import { useMay } from "../../lib/rights.ts";
import { zoneName } from "../../lib/time.ts";
import { type Usage as Read, rangeBefore, readUsage } from "../../lib/usage.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { StackedBars } from "../../ui/stacked-bars.tsx";
import { type Chosen, groupName, groupOf, metricOf, type UsageSearch } from "./choices.ts";
import { Controls } from "./controls.tsx";
import { GroupTable } from "./group-table.tsx";
import { Headline } from "./headline.tsx";
import { placeOf, type Series, seriesOf, withOther } from "./series.ts";
import { SeriesTable } from "./series-table.tsx";
import { TimeTable } from "./time-table.tsx";

export function Usage(): ReactNode {
  const search = useSearch({ from: "/inside/usage" });
  const navigate = useNavigate();
  const set = (changed: UsageSearch) => {
    const merged = Object.entries({ ...search, ...changed }).filter(([, value]) => value !== "");
    void navigate({ to: "/usage", search: Object.fromEntries(merged), replace: true });
  };
  const metric = metricOf(search);
  // Durations of groups can't be added up: then time alone divides.
  const group = metric.added ? groupOf(search) : null;
  const when = { range: search.range, from: search.from, to: search.to };
  const usage = useQuery({
    queryKey: ["usage", when, group],
    queryFn: () => readUsage(rangeOf(when as UsageSearch, "30d"), group),
    placeholderData: keepPreviousData,
    refetchInterval: search.live === undefined ? false : 10_000,
  });
  const before = useQuery({
    queryKey: ["usage", "before", when],
    queryFn: () => readUsage(rangeBefore(rangeOf(when as UsageSearch, "30d")), null),
    enabled: search.compare !== undefined,
  });
  return (
    <Page title="Usage" about={`What your requests used and cost. Times are in your zone, ${zoneName}.`}>
      <Controls search={search} set={set} byTime={!metric.added} group={group} />
      <ErrorNote error={usage.error ?? before.error} retry={() => void usage.refetch()} />
      {usage.data === undefined && usage.error === null && <Loading what="Loading usage" lines={8} />}
      {usage.data !== undefined && (
        <Figures usage={usage.data} before={search.compare === undefined ? null : (before.data ?? null)} metric={metric} search={search} />
      )}
    </Page>
  );
}

interface FiguresProps {
  usage: Read;
  before: Read | null;
  metric: Chosen;
  search: UsageSearch;
}

function Figures({ usage, before, metric, search }: FiguresProps): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const { data: keys } = useQuery({ ...keysQuery, enabled: useMay("readKeys") === true });
  const group = metric.added ? groupOf(search) : null;
  const { data: people } = useQuery({ ...membersQuery, enabled: group === "member" });
  const series = useMemo(() => {
    if (group === null || !metric.added) return null;
    const named = (id: string) => keys?.find((key) => key.id === id)?.name ?? people?.members.find((member) => member.id === id)?.email;
    return seriesOf(usage, group, metric.field, named);
  }, [usage, group, metric.added, metric.field, keys, people]);
  const labels = usage.range.starts.map((at) => startName(at, usage.range.bucket));
  const shown =
    series === null || usage.largest !== null
      ? [{ id: "all", name: metric.label, values: valuesOverTime(usage, metric) }]
      : withOther(series);
  const period = rangeName(search, "Last 30 days");
  return (
    <>
      <Card
        title={metric.label}
        actions={
          <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? "Show chart" : "Show table"}
          </Button>
        }
      >
        <div className="space-y-5">
          <Headline metric={metric} period={period} total={usage.total} before={before?.total ?? null} />
          {asTable ? (
            <SeriesTable labels={labels} series={shown} text={metric.text} />
          ) : (
            <StackedBars label={`${metric.label} by ${usage.range.bucket}`} labels={labels} series={shown} text={metric.text} />
          )}
          {usage.largest !== null && (
            <p className="text-quiet">
              {`Too many groups for a chart: it shows all requests. The table has the ${count(usage.largest.length)} groups with the highest cost.`}
            </p>
          )}
        </div>
      </Card>
      <Card title={group === null ? `By ${usage.range.bucket}` : `By ${groupName(group).toLowerCase()}`} flush>
        {usage.total.requests === 0 ? (
          <Empty title="No requests in this period">Choose another range, or make a request with one of your keys.</Empty>
        ) : series === null || group === null ? (
          <TimeTable usage={usage} />
        ) : (
          <GroupTable series={series as Series[]} group={group} usage={usage} search={search} />
        )}
      </Card>
    </>
  );
}

function valuesOverTime({ range, rows }: Read, { field }: Chosen): (number | null)[] {
  const values: (number | null)[] = range.starts.map(() => null);
  for (const row of rows) values[placeOf(range, row)] = row[field];
  return values;
}
