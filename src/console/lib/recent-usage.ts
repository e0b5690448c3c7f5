// The last seven days by day of the reader's zone, added up from the log, which has every request.
import { queryOptions } from "@tanstack/react-query";
import { listUsageLogs, type UsageLog } from "svc-sdk/functions";
import { api } from "./api.ts";

export interface Day {
  /** As people write it: `Nov 25`. */
  day: string;
  requests: number;
  spent: number;
}

const name = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const dayCount = 7;
/** Reads end here; the page says so. */
const most = 1_000;

export const recentDays = queryOptions({ queryKey: ["recent-days"], queryFn: readDays, staleTime: 30_000 });

async function readDays(): Promise<{ days: Day[]; counted: number; whole: boolean }> {
  const starts = Array.from({ length: dayCount }, (_, index) => {
    const start = new Date();
    start.setHours(0, 0, 0, 0);
    start.setDate(start.getDate() - (dayCount - 1 - index));
    return start;
  });
  const rows: UsageLog[] = [];
  let whole = true;
  for await (const row of listUsageLogs(api, { limit: 200, from: (starts[0] as Date).toISOString() })) {
    if (rows.length >= most) {
      whole = false;
      break;
    }
    rows.push(row);
  }
  const days = starts.map((start) => ({ day: name.format(start), requests: 0, units: 0 }));
  for (const { created_at, cost_usd } of rows) {
    const index = starts.findLastIndex((start) => start.getTime() <= new Date(created_at).getTime());
    const day = days[index];
    if (day === undefined) continue;
    day.requests += 1;
    day.units += Math.round(cost_usd * 1e8); // the ledger's unit: sums stay exact
  }
  return { days: days.map(({ units, ...day }) => ({ ...day, spent: units / 1e8 })), counted: rows.length, whole };
}
