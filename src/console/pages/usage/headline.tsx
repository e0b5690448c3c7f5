// The total of the range, and how it changed against the time before it.
import type { UsageFigures } from "svc-sdk/types";
import type { ReactNode } from "react";
import { Badge } from "../../ui/parts.tsx";
import type { Chosen } from "./choices.ts";

interface HeadlineProps {
  metric: Chosen;
  period: string;
  total: UsageFigures;
  before: UsageFigures | null;
}

export function Headline({ metric, period, total, before }: HeadlineProps): ReactNode {
  const now = total[metric.field];
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <p className="figures text-3xl font-semibold tracking-tight" title={metric.text(now)}>
        {metric.short(now)}
      </p>
      <p className="text-quiet">{period}</p>
      {before !== null && <Change now={now} before={before[metric.field]} text={metric.short} />}
    </div>
  );
}

function Change({ now, before, text }: { now: number | null; before: number | null; text: (value: number | null) => string }): ReactNode {
  // Of nothing there is no percentage.
  const share = now === null || before === null || before === 0 ? null : (now - before) / before;
  return (
    <p className="flex items-center gap-2 text-quiet">
      {share !== null && (
        <Badge tone="accent">
          {share > 0 ? "+" : ""}
          {share.toLocaleString("en-US", { style: "percent", maximumFractionDigits: 1 })}
        </Badge>
      )}
      {text(before)} in the time before
    </p>
  );
}
