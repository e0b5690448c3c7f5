// Overview: what the gateway sold, what that cost, how it went, and what needs an operator.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Overview as Figures } from "svc-sdk";
import { getOperatorOverview } from "svc-sdk/operator";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { count, none, usd, usdShort } from "../../lib/money.ts";
import { endOfRange, rangeOf } from "../../lib/range.ts";
import { duration, when, zoneName } from "../../lib/time.ts";
import { DateRange } from "../../ui/date-range.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { RankedBars } from "../../ui/ranked-bars.tsx";
import { Table } from "../../ui/table.tsx";
import { OperatorLink, useAddress } from "../address.tsx";
import { ChartCard } from "../chart-card.tsx";
import { Alerts } from "./alerts.tsx";
import { ByGroup } from "./by-group.tsx";
import { OverTime } from "./over-time.tsx";

/** The longest time that the gateway sums up. */
const mostDays = 31;

export function Overview(): ReactNode {
  const { search, set } = useAddress();
  const { range, from, to } = search;
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "overview", range, from, to],
    queryFn: () => {
      const asked = rangeOf(search, "24h");
      return getOperatorOverview(api, endOfRange({ from: asked.from.toISOString(), to: asked.to.toISOString() }, mostDays * 86_400_000));
    },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  return (
    <Page
      title="Overview"
      about={
        data === undefined ? undefined : `${when(data.from)} to ${when(data.to)}, in your zone, ${zoneName}. Read again every 30 seconds.`
      }
      actions={<DateRange search={search} empty="Last 24 hours" mostDays={mostDays} set={set} />}
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the overview" lines={8} />}
      {data !== undefined && <Shown figures={data} />}
    </Page>
  );
}

const unknown = "Unknown: no route that was called has a cost in the catalog";

/** A share of the revenue that the margin is about: what came in without a known cost is left out of both. */
function marginText({ revenue_usd, revenue_without_cost_usd: without, margin_usd }: Figures): string {
  if (margin_usd === null) return unknown;
  const text = `${usd(margin_usd)}, ${share(margin_usd, revenue_usd - without)} of the revenue`;
  return without === 0 ? text : `${text} whose cost is known; that of ${usd(without)} is not`;
}

function Shown({ figures }: { figures: Figures }): ReactNode {
  const { revenue_usd, cost_usd, margin_usd, calls, failed, active_accounts, latency_p50_ms, latency_p95_ms } = figures;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        <Figure title="Revenue" value={usdShort(revenue_usd)} about={`${usd(revenue_usd)}, minus refunds`} />
        <Figure
          title="Cost"
          value={usdShort(cost_usd)}
          about={cost_usd === null ? unknown : `${usd(cost_usd)}, for routes with a known cost`}
        />
        <Figure title="Margin" value={usdShort(margin_usd)} about={marginText(figures)} />
        <Figure title="Calls" value={count(calls)} about={`${count(failed)} failed, ${share(failed, calls)}`} />
        <Figure title="Active accounts" value={count(active_accounts)} about="With at least one call" />
        <Figure title="Latency" value={duration(latency_p50_ms)} about={`Median; 95% of calls took at most ${duration(latency_p95_ms)}`} />
      </div>
      <Alerts />
      <OverTime />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Errors figures={figures} />
        <Providers figures={figures} />
      </div>
      <ByGroup />
    </>
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? none : `${((part / whole) * 100).toFixed(1)} %`;
}

function Figure({ title, value, about }: { title: string; value: string; about: string }): ReactNode {
  return (
    <Card title={title}>
      <p className="figures text-3xl font-semibold tracking-tight">{value}</p>
      <p className="figures mt-1 text-xs text-quiet">{about}</p>
    </Card>
  );
}

function Errors({ figures: { errors, failed } }: { figures: Figures }): ReactNode {
  const bars = errors.map(({ code, calls }) => ({ label: code, value: calls, text: `${count(calls)} (${share(calls, failed)})` }));
  return (
    <ChartCard
      title="Errors"
      link={
        <OperatorLink path="requests" search={{ status: "failed" }}>
          Failed requests
        </OperatorLink>
      }
      chart={errors.length === 0 ? undefined : <RankedBars label="Failed calls by code" bars={bars} />}
      table={
        <Table
          name="Errors by code"
          rows={errors}
          idOf={({ code }) => code}
          empty={<Empty title="No failed calls" />}
          columns={[
            { name: "Code", cell: ({ code }) => <span className="font-mono text-xs break-all">{code}</span> },
            { name: "Calls", right: true, cell: ({ calls }) => count(calls) },
            { name: "Of all failed", right: true, cell: ({ calls }) => share(calls, failed) },
          ]}
        />
      }
    />
  );
}

function Providers({ figures: { providers } }: { figures: Figures }): ReactNode {
  const bars = providers.map(({ provider, attempts, failures }) => ({
    ...{ label: provider, value: attempts },
    text: `${count(attempts)}, ${share(failures, attempts)} failed`,
  }));
  return (
    <ChartCard
      title="Providers"
      link={<OperatorLink path="providers">Routes</OperatorLink>}
      chart={providers.length === 0 ? undefined : <RankedBars label="Attempts by provider" bars={bars} />}
      table={
        <Table
          name="Providers by attempts"
          rows={providers}
          idOf={({ provider }) => provider}
          empty={<Empty title="No provider was called" />}
          columns={[
            { name: "Provider", cell: ({ provider }) => <span className="break-all">{provider}</span> },
            { name: "Attempts", right: true, cell: ({ attempts }) => count(attempts) },
            { name: "Failures", right: true, cell: ({ attempts, failures }) => `${count(failures)} (${share(failures, attempts)})` },
            { name: "Cost", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
          ]}
        />
      }
    />
  );
}
