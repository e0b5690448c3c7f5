// Values by name, the largest first, as bars that lie: names of any length have room. The same values stand in a table beside it.
import type { ReactNode } from "react";
import type { Bar } from "./bars.tsx";

export function RankedBars({ label, bars }: { label: string; bars: readonly Bar[] }): ReactNode {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ol aria-label={label} className="space-y-3 px-5 pb-5">
      {bars.map(({ label: name, value, text }) => (
        <li key={name} className="space-y-1">
          <p className="flex items-baseline justify-between gap-4 text-sm">
            <span className="min-w-0 break-all">{name}</span>
            <span className="figures whitespace-nowrap text-quiet">{text}</span>
          </p>
          <div aria-hidden="true" className="h-2 rounded-full bg-sunken">
            <div className="h-2 rounded-full bg-accent" style={{ width: `${most <= 0 ? 0 : Math.max((value / most) * 100, 0)}%` }} />
          </div>
        </li>
      ))}
    </ol>
  );
}
