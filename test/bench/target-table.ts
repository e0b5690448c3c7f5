// What was to be reached, and what this run measured of it. What a run did not measure stays empty.
import type { Figures } from "./measure.ts";
import type { Result } from "./scenarios/types.ts";
import { markdownTable } from "./table.ts";

interface Row {
  figure: string;
  /** What it is to be, at most or at least. */
  most?: number;
  least?: number;
  unit: "x" | " ms" | " us";
  /** Undefined: not measured. */
  value: number | null | undefined;
}

export function targetTable(results: Map<string, Result>): string {
  const find = (scenario: string, target = "ours"): Figures | undefined =>
    results.get(scenario)?.figures.find((one) => one.target === target);
  const extra = (scenario: string, name: string) => results.get(scenario)?.extra["ours"]?.[name];
  const [one, some, many, opened] = ["chat-1", "chat-16", "chat-64", "open-300"].map((scenario) => find(scenario));
  const [stream, paced] = [find("stream-16"), find("paced-500")];
  const against = (peer: string) => {
    const other = find("chat-64", peer);
    return many && other && other.ratio / many.ratio;
  };
  const rows: Row[] = [
    { figure: "CPU of a billed chat request, 64 connections, against bare", most: 2, unit: "x", value: many?.ratio },
    { figure: "Postgres' CPU there against the gateway's", most: 0.5, unit: "x", value: many && many.postgresUs / many.cpuUs },
    { figure: "CPU, 16 connections, against bare", most: 2.5, unit: "x", value: some?.ratio },
    { figure: "CPU, 300 requests a second, against bare", most: 3, unit: "x", value: opened?.ratio },
    { figure: "Postgres' CPU there", most: 400, unit: " us", value: opened?.postgresUs },
    { figure: "median added over bare there", most: 1, unit: " ms", value: opened?.addedP50 },
    { figure: "p99 added over bare there", most: 5, unit: " ms", value: opened?.addedP99 },
    { figure: "median added over bare, 1 connection", most: 1.2, unit: " ms", value: one?.addedP50 },
    { figure: "Portkey's CPU for a request against ours", least: 8, unit: "x", value: against("portkey") },
    { figure: "LiteLLM's CPU for a request against ours", least: 10, unit: "x", value: against("litellm") },
    { figure: "CPU for a streamed chunk, 16 at full speed, against bare", most: 1.3, unit: "x", value: stream?.ratio },
    { figure: "CPU for a chunk of paced streams against bare", most: 1.3, unit: "x", value: paced?.ratio },
    { figure: "first byte of a paced stream, added over bare", most: 0.8, unit: " ms", value: paced?.addedFirstByteP50 },
    { figure: "memory of an open paced stream against bare", most: 1.5, unit: "x", value: extra("paced-500", "KB x bare") },
    {
      figure: "p99 of small requests beside 20 MB bodies, against without",
      most: 3,
      unit: "x",
      value: extra("bodies-20mb", "p99 x alone"),
    },
    { figure: "peak memory against the 20 MB bodies in flight", most: 4, unit: "x", value: extra("bodies-20mb", "peak x in flight") },
    { figure: "CPU for a request, 2 workers against 1", most: 1.15, unit: "x", value: find("workers", "ours, 2 workers")?.ratio },
  ];
  const cells = rows.map(({ figure, most, least, unit, value }) => [
    figure,
    most === undefined ? `at least ${least}${unit}` : `at most ${most}${unit}`,
    typeof value === "number" ? `${value.toFixed(2)}${unit}` : "",
    typeof value !== "number" ? "not measured" : value <= (most ?? Infinity) && value >= (least ?? 0) ? "yes" : "no",
  ]);
  return markdownTable(["figure", "target", "measured", "reached"], cells);
}
