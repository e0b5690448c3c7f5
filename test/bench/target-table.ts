// The table of issue 8: what was to be reached, and what this run measured of it. What a run did not measure stays empty.
import type { Figures } from "./measure.ts";
import type { Result } from "./scenarios/types.ts";
import { markdownTable } from "./table.ts";

interface Row {
  figure: string;
  target: string;
  /** Null: not measured. */
  value: number | null;
  reached: (value: number) => boolean;
  unit: string;
}

export function targetTable(results: Map<string, Result>): string {
  const find = (scenario: string, target: string): Figures | undefined =>
    results.get(scenario)?.figures.find((one) => one.target === target);
  const extra = (scenario: string, name: string) => results.get(scenario)?.extra["ours-full"]?.[name] ?? null;
  const ours = find("chat-64", "ours-full");
  const against = (peer: string): number | null => {
    const other = find("chat-64", peer);
    return ours && other ? other.ratio / ours.ratio : null;
  };
  const opened = find("open-loop", "ours-full");
  const atMost = (most: number) => (value: number) => value <= most;
  const atLeast = (least: number) => (value: number) => value >= least;
  const rows: Row[] = [
    {
      figure: "CPU per billed chat request, 64 connections, against bare",
      target: "at most 2.5x",
      value: ours?.ratio ?? null,
      reached: atMost(2.5),
      unit: "x",
    },
    { figure: "Portkey's CPU per request against ours", target: "at least 8x", value: against("portkey"), reached: atLeast(8), unit: "x" },
    {
      figure: "LiteLLM's CPU per request against ours",
      target: "at least 10x",
      value: against("litellm"),
      reached: atLeast(10),
      unit: "x",
    },
    {
      figure: "CPU per streamed chunk, 16 at full speed, against bare",
      target: "at most 1.5x",
      value: find("stream-16", "ours-full")?.ratio ?? null,
      reached: atMost(1.5),
      unit: "x",
    },
    {
      figure: "CPU per chunk of paced streams against bare",
      target: "at most 1.5x",
      value: find("paced-500", "ours-full")?.ratio ?? null,
      reached: atMost(1.5),
      unit: "x",
    },
    {
      figure: "median latency added over bare, open loop",
      target: "at most 1.5 ms",
      value: opened?.addedP50 ?? null,
      reached: atMost(1.5),
      unit: " ms",
    },
    { figure: "p99 added over bare, open loop", target: "at most 6 ms", value: opened?.addedP99 ?? null, reached: atMost(6), unit: " ms" },
    {
      figure: "memory per open paced stream against bare",
      target: "at most 1.5x",
      value: extra("paced-500", "KB x bare"),
      reached: atMost(1.5),
      unit: "x",
    },
    {
      figure: "p99 of small requests beside 20 MB bodies, against without",
      target: "at most 3x",
      value: extra("bodies-20mb", "p99 x alone"),
      reached: atMost(3),
      unit: "x",
    },
    {
      figure: "peak memory against the 20 MB bodies in flight",
      target: "at most 4x",
      value: extra("bodies-20mb", "peak x in flight"),
      reached: atMost(4),
      unit: "x",
    },
    {
      figure: "CPU per request, 2 workers against 1",
      target: "at most 1.15x",
      value: find("workers", "ours-full, 2 workers")?.ratio ?? null,
      reached: atMost(1.15),
      unit: "x",
    },
  ];
  const cells = rows.map(({ figure, target, value, reached, unit }) => [
    figure,
    target,
    value === null ? "" : `${value.toFixed(2)}${unit}`,
    value === null ? "not measured" : reached(value) ? "yes" : "no",
  ]);
  return markdownTable(["figure", "target", "measured", "reached"], cells);
}
