// The columns that providers and routes share.
import type { OperatorProvider, OperatorRoute } from "svc-sdk";
import type { ReactNode } from "react";
import { count, none, usd } from "../../lib/money.ts";
import { duration, when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import type { Target } from "./availability.tsx";

export interface Row {
  name: string;
  about: string;
  /** Null: a provider has none of its own. */
  breaker: OperatorRoute["breaker"] | null;
  disabled: OperatorProvider["disabled"];
  figures: Pick<
    OperatorProvider,
    "health" | "attempts" | "failures" | "causes" | "latency_p50_ms" | "latency_p95_ms" | "margin_24h_usd" | "revenue_24h_usd"
  >;
  target: Target;
}

const healths = {
  ok: <Badge tone="good">Healthy</Badge>,
  degraded: <Badge tone="warn">Degraded</Badge>,
  failing: <Badge tone="bad">Failing</Badge>,
  unknown: <Badge>No attempts</Badge>,
} as const;

export function State({ row: { disabled, breaker, figures } }: { row: Row }): ReactNode {
  return (
    <div className="min-w-32 space-y-1">
      <p className="flex flex-wrap gap-1.5">
        {disabled === null ? healths[figures.health] : <Badge tone="warn">Disabled</Badge>}
        {breaker === "open" && <Badge tone="bad">Breaker open</Badge>}
      </p>
      {disabled !== null && (
        <p className="max-w-64 text-xs break-words text-quiet">
          Until {when(disabled.until)}, by {disabled.disabled_by}: {disabled.reason}
        </p>
      )}
      {figures.causes.length > 0 && (
        <p className="max-w-64 text-xs break-words text-quiet">
          {figures.causes.map(({ cause, attempts }) => `${cause} (${count(attempts)})`).join(", ")}
        </p>
      )}
    </div>
  );
}

const rate = (part: number, whole: number) => (whole === 0 ? none : `${((part / whole) * 100).toFixed(1)} %`);

const noMargin = "Unknown: the catalog has no cost for what was called";

export const figureColumns: readonly Column<Row>[] = [
  { name: "Attempts", right: true, cell: ({ figures }) => count(figures.attempts) },
  { name: "Error rate", right: true, cell: ({ figures }) => rate(figures.failures, figures.attempts) },
  { name: "Latency", right: true, cell: ({ figures }) => duration(figures.latency_p50_ms) },
  { name: "95 of 100 below", right: true, cell: ({ figures }) => duration(figures.latency_p95_ms) },
  {
    name: "Margin",
    right: true,
    cell: ({ figures: { margin_24h_usd: margin } }) => <span title={margin === null ? noMargin : undefined}>{usd(margin)}</span>,
  },
];

export const actionColumn = (disable: (target: Target) => void, enable: (target: Target) => void): Column<Row> => ({
  name: "Changes",
  hidden: true,
  right: true,
  cell: ({ disabled, target }) =>
    disabled === null ? (
      <Button onClick={() => disable(target)}>Disable for 10 minutes</Button>
    ) : (
      <Button onClick={() => enable(target)}>Enable</Button>
    ),
});
