// How an audit of the ledger stands, as a word with a colour.
import type { LedgerAudit } from "svc-sdk";
import type { ReactNode } from "react";
import { Badge } from "../../ui/parts.tsx";

const shown = {
  running: ["accent", "Running"],
  agrees: ["good", "Agrees"],
  differs: ["bad", "Differs"],
  failed: ["warn", "Failed"],
} as const;

export function AuditStatus({ status }: Pick<LedgerAudit, "status">): ReactNode {
  const [tone, word] = shown[status];
  return <Badge tone={tone}>{word}</Badge>;
}
