// A bar chart over time whose bars are stacked from several series, with their legend. A value that is not known is no bar. The same values
// stand in a table beside it.
import type { ReactNode } from "react";

export interface StackedSeries {
  id: string;
  name: string;
  values: readonly (number | null)[];
}

const fills = ["fill-series-0", "fill-series-1", "fill-series-2", "fill-series-3", "fill-series-4", "fill-series-5", "fill-series-6", "fill-series-7", "fill-series-8"]; // prettier-ignore
const dots = ["bg-series-0", "bg-series-1", "bg-series-2", "bg-series-3", "bg-series-4", "bg-series-5", "bg-series-6", "bg-series-7", "bg-series-8"]; // prettier-ignore
export const seriesDot = (index: number) => dots[Math.min(index, 8)] as string;

const height = 220;

interface StackedBarsProps {
  label: string;
  labels: readonly string[];
  series: readonly StackedSeries[];
  text: (value: number | null) => string;
}

export function StackedBars({ label, labels, series, text }: StackedBarsProps): ReactNode {
  const tops = labels.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
  const most = Math.max(...tops, 0);
  const width = 100 / labels.length;
  return (
    <figure aria-label={label} className="space-y-3">
      <div className="flex gap-3">
        <div aria-hidden="true" className="figures flex h-55 flex-col justify-between text-right text-xs text-quiet">
          <span>{most > 0 && text(most)}</span>
          <span>{most > 0 && text(most / 2)}</span>
          <span>{text(0)}</span>
        </div>
        <div className="min-w-0 flex-1">
          <svg
            role="img"
            aria-label={`${label}, as bars; the values are in the tables`}
            viewBox={`0 0 100 ${height}`}
            preserveAspectRatio="none"
            className="h-55 w-full"
          >
            {[0, 0.5, 1].map((part) => (
              <line
                key={part}
                x1="0"
                x2="100"
                y1={Math.min(height * part + 0.5, height - 0.5)}
                y2={Math.min(height * part + 0.5, height - 0.5)}
                className="stroke-line"
                strokeWidth="1"
                vectorEffect="non-scaling-stroke"
              />
            ))}
            {labels.map((name, at) => (
              <Stack key={name} at={at} width={width} most={most} series={series}>
                {[
                  `${name}: ${text(series.length === 1 ? (series[0]?.values[at] ?? null) : (tops[at] ?? 0))}`,
                  ...partsOf(series, at, text),
                ].join("\n")}
              </Stack>
            ))}
          </svg>
          <div aria-hidden="true" className="mt-1.5 flex justify-between gap-2 text-xs text-quiet">
            {[...new Set([0, Math.floor((labels.length - 1) / 2), labels.length - 1])].map((at) => (
              <span key={at}>{labels[at]}</span>
            ))}
          </div>
        </div>
      </div>
      {series.length > 1 && <Legend series={series} />}
    </figure>
  );
}

function partsOf(series: readonly StackedSeries[], at: number, text: StackedBarsProps["text"]): string[] {
  if (series.length < 2) return [];
  return series.filter(({ values }) => (values[at] ?? 0) > 0).map(({ name, values }) => `${name}: ${text(values[at] ?? null)}`);
}

interface StackProps {
  at: number;
  width: number;
  most: number;
  series: readonly StackedSeries[];
  children: string;
}

function Stack({ at, width, most, series, children }: StackProps): ReactNode {
  let bottom = height;
  return (
    <g>
      {series.map(({ id, values }, index) => {
        const value = values[at] ?? 0;
        if (value <= 0 || most <= 0) return null;
        const tall = Math.max((value / most) * (height - 4), 1);
        bottom -= tall;
        return (
          <rect
            key={id}
            x={at * width + width * 0.14}
            width={width * 0.72}
            y={Math.max(bottom, 0)}
            height={tall}
            className={fills[Math.min(index, 8)]}
          />
        );
      })}
      <rect x={at * width} width={width} y="0" height={height} fill="transparent" className="hover:fill-text/5">
        <title>{children}</title>
      </rect>
    </g>
  );
}

function Legend({ series }: { series: readonly StackedSeries[] }): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1.5 text-xs">
      {series.map(({ id, name }, index) => (
        <li key={id} className="flex min-w-0 items-center gap-1.5">
          <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-sm ${seriesDot(index)}`} />
          <span className="break-all">{name}</span>
        </li>
      ))}
    </ul>
  );
}
