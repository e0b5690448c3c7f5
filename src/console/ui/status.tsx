// How a request ended, as a word with a colour.
import type { UsageLog } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { Badge } from "./parts.tsx";

export function Status({ row }: { row: Pick<UsageLog, "status" | "error" | "http_status"> }): ReactNode {
  if (row.status === "success") return <Badge tone="good">Success</Badge>;
  return <Badge tone="bad">{row.error?.code ?? String(row.http_status)}</Badge>;
}
