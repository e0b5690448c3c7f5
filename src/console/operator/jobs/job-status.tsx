// How a media job stands, as a word with a colour, and what ended it.
import type { OperatorJob } from "svc-sdk";
import type { ReactNode } from "react";
import { Badge } from "../../ui/parts.tsx";

const tones = {
  queued: "quiet",
  pending: "accent",
  processing: "accent",
  succeeded: "good",
  failed: "bad",
  refunded: "quiet",
  expired: "warn",
} as const;

export function JobStatus({ job: { status, error, queue_position } }: { job: OperatorJob }): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Badge tone={tones[status]}>{status}</Badge>
      {error !== null && <span className="font-mono text-xs break-all">{error.code}</span>}
      {queue_position !== null && <span className="text-xs text-quiet">Position {queue_position}</span>}
    </span>
  );
}
