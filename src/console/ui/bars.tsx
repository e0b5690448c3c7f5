// A bar chart of a few values: each bar can be pointed at and says its value. The same values stand in a table beside it.
import type { ReactNode } from "react";

export interface Bar {
  label: string;
  value: number;
  text: string;
}

const height = 150;

export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }): ReactNode {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  const width = 100 / Math.max(bars.length, 1);
  const every = Math.ceil(bars.length / 8);
  return (
    <figure aria-label={label}>
      <svg
        role="img"
        aria-label={`${label}: ${bars.map((bar) => `${bar.label} ${bar.text}`).join(", ")}`}
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        className="h-38 w-full"
      >
        {[0.25, 0.5, 0.75, 1].map((part) => (
          <line
            key={part}
            x1="0"
            x2="100"
            y1={height * (1 - part) + 0.5}
            y2={height * (1 - part) + 0.5}
            className="stroke-line"
            strokeWidth="1"
            vectorEffect="non-scaling-stroke"
          />
        ))}
        {bars.map(({ label: name, value, text }, index) => {
          const tall = most === 0 ? 0 : Math.max((value / most) * (height - 6), value > 0 ? 2 : 0);
          return (
            <g key={name}>
              <rect x={index * width + width * 0.18} width={width * 0.64} y={height - tall} height={tall} className="fill-accent" />
              <rect x={index * width} width={width} y="0" height={height} fill="transparent">
                <title>{`${name}: ${text}`}</title>
              </rect>
            </g>
          );
        })}
        <line
          x1="0"
          x2="100"
          y1={height - 0.5}
          y2={height - 0.5}
          className="stroke-edge"
          strokeWidth="1"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <figcaption aria-hidden="true" className="mt-1.5 flex text-xs text-quiet">
        {bars.map((bar, index) => (
          <span key={bar.label} className="min-w-0 flex-1 text-center whitespace-nowrap">
            {index % every === 0 ? bar.label : ""}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
