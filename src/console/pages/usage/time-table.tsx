// The sums by hour, day or month, newest first; the last row is the total.
import type { UsageFigures } from "svc-sdk/types";
import type { ReactNode } from "react";
import { count, usd } from "../../lib/money.ts";
import { startName } from "../../lib/range.ts";
import { duration } from "../../lib/time.ts";
import type { Usage } from "../../lib/usage.ts";
import { type Column, Table } from "../../ui/table.tsx";

type Row = UsageFigures & { name: string };

export function TimeTable({ usage: { range, rows, total } }: { usage: Usage }): ReactNode {
  const named = rows.map((row) => ({ ...row, name: startName(new Date(row.start), range.bucket) })).reverse();
  return <Table name="Usage" rows={named} idOf={({ start }) => start} columns={columns} total={{ ...total, name: "Total", start: "" }} />;
}

const columns: readonly Column<Row>[] = [
  { name: "Time", cell: ({ name }) => <span className="whitespace-nowrap">{name}</span> },
  { name: "Requests", right: true, cell: ({ requests }) => count(requests) },
  { name: "Errors", right: true, cell: ({ errors }) => count(errors) },
  { name: "Input", right: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
  { name: "Cached", right: true, cell: ({ cached_tokens }) => count(cached_tokens) },
  { name: "Output", right: true, cell: ({ completion_tokens }) => count(completion_tokens) },
  { name: "Cost", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
  { name: "Duration, median", right: true, cell: ({ latency_p50_ms }) => duration(latency_p50_ms) },
  { name: "Duration, 95 %", right: true, cell: ({ latency_p95_ms }) => duration(latency_p95_ms) },
  { name: "First token, median", right: true, cell: ({ ttft_p50_ms }) => duration(ttft_p50_ms) },
];
