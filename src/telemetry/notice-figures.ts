// Counts how deliveries of notices ended, for /metrics.
import type { Metrics } from "./metrics.ts";

const outcomes = ["delivered", "failed", "retried"] as const;

export function countNotices({ add }: Pick<Metrics, "add">): (outcome: (typeof outcomes)[number]) => void {
  const counts = { delivered: 0, failed: 0, retried: 0 };
  add({ name: "svc_notice_deliveries_total", help: "Attempts to deliver a notice, by how they ended", type: "counter" }, () =>
    outcomes.map((outcome) => ({ labels: { outcome }, value: counts[outcome] })),
  );
  return (outcome) => void (counts[outcome] += 1);
}
