// What was spent in a range, as a chart and as a table of the same sums.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { count, usd, usdShort } from "../../lib/money.ts";
import { presets, rangeName, type RangeSearch, startName } from "../../lib/range.ts";
import { addUp, homePreset, spendQuery, type Usage } from "../../lib/usage.ts";
import { Bars } from "../../ui/bars.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { controlClass } from "../../ui/field.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { Table } from "../../ui/table.tsx";

export function Spend(): ReactNode {
  const [asTable, setAsTable] = useState(false);
  const search = useSearch({ from: "/inside/" }) as RangeSearch;
  const { data, error, refetch } = useQuery({ ...spendQuery(search), placeholderData: keepPreviousData });
  return (
    <Card
      title="Spend"
      className="lg:col-span-2"
      actions={
        <div className="flex items-center gap-2">
          <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
            {asTable ? "Show chart" : "Show table"}
          </Button>
          <RangeSelect search={search} />
        </div>
      }
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading what was spent" lines={5} />}
      {data !== undefined && (
        <div className="space-y-4">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <p title={usd(data.total.cost_usd)} className="figures text-2xl font-semibold">
              {usdShort(data.total.cost_usd)}
            </p>
            <Link
              to="/usage"
              search={{ ...(Object.keys(search).length === 0 ? { range: homePreset } : search), group: "model" }}
              className="ml-auto text-accent hover:underline"
            >
              By model
            </Link>
          </div>
          <Sums usage={data} asTable={asTable} />
          <p className="figures text-xs text-quiet">
            {count(data.total.requests)} requests, {count(data.total.errors)} of them failed; {count(data.total.prompt_tokens)} input tokens
            ({count(data.total.cached_tokens)} cached), {count(data.total.completion_tokens)} output tokens
          </p>
        </div>
      )}
    </Card>
  );
}

/** The presets of the date range. Days by hand are chosen on the page of usage; an address that has some shows them. */
function RangeSelect({ search }: { search: RangeSearch }): ReactNode {
  const navigate = useNavigate();
  const name = rangeName(search, presets[homePreset]);
  const chosen = Object.entries(presets).find(([, label]) => label === name)?.[0] ?? "";
  return (
    <select
      aria-label="Date range"
      value={chosen}
      onChange={({ target }) => void navigate({ to: "/", search: { range: target.value }, replace: true })}
      className={`${controlClass} w-auto!`}
    >
      {chosen === "" && <option value="">{name}</option>}
      {Object.entries(presets).map(([range, label]) => (
        <option key={range} value={range}>
          {label}
        </option>
      ))}
    </select>
  );
}

const words = { hour: "Hour", day: "Day", month: "Month" } as const;

function Sums({ usage: { range, rows }, asTable }: { usage: Usage; asTable: boolean }): ReactNode {
  const { bucket } = range;
  const sums = range.starts.map((start) => {
    const sum = addUp(rows.filter((row) => new Date(row.start).getTime() === start.getTime()));
    return { ...sum, start: start.getTime(), name: startName(start, bucket) };
  });
  if (!asTable)
    return (
      <Bars
        label={`Spend by ${bucket}, US dollars`}
        bars={sums.map(({ name, cost_usd }) => ({ label: name, value: cost_usd, text: usd(cost_usd) }))}
      />
    );
  return (
    <Table
      name={`Spend by ${bucket}`}
      rows={sums}
      idOf={({ start }) => String(start)}
      columns={[
        { name: words[bucket], cell: ({ name }) => name },
        { name: "Requests", right: true, cell: ({ requests }) => count(requests) },
        { name: "Spent", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
      ]}
    />
  );
}
