// Results as Markdown.
import type { Figures } from "./measure.ts";
import type { Result, Scenario } from "./scenarios/types.ts";

export function markdownTable(head: string[], rows: string[][]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

export function scenarioTable({ name, title }: Scenario, { unit, figures, extra, notes }: Result): string {
  const columns = [...new Set(Object.values(extra).flatMap((one) => Object.keys(one)))];
  const head = [
    "target",
    `CPU µs/${unit}`,
    "x bare",
    "Postgres µs",
    "req/s",
    "busy",
    "p50 ms",
    "+p50",
    "p99 ms",
    "+p99",
    "1st byte +p50",
    "MB",
    ...columns,
  ];
  const rows = figures.map((one) => [...rowOf(one), ...columns.map((column) => number(extra[one.target]?.[column]))]);
  return [`### ${name}: ${title}`, "", markdownTable(head, rows), ...notes.map((note) => `\n${note}`)].join("\n");
}

function rowOf(one: Figures): string[] {
  const proxied = one.target !== "direct";
  const money = one.target.startsWith("ours");
  return [
    one.target,
    proxied ? one.cpuUs.toFixed(1) : "",
    proxied ? one.ratio.toFixed(2) : "",
    money ? one.postgresUs.toFixed(1) : "",
    one.perSecond.toFixed(0),
    proxied ? `${(one.busy * 100).toFixed(0)} %` : "",
    one.p50.toFixed(2),
    one.target === "bare" ? "" : one.addedP50.toFixed(2),
    one.p99.toFixed(2),
    one.target === "bare" ? "" : one.addedP99.toFixed(2),
    one.target === "bare" ? "" : one.addedFirstByteP50.toFixed(2),
    proxied ? one.residentMb.toFixed(0) : "",
  ];
}

export function number(value: number | undefined): string {
  if (value === undefined) return "";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}
