// One request: how it went, which routes were tried, how its charge adds up, its ledger entries, and the proof.
import { useQuery } from "@tanstack/react-query";
import { getReceipt, type Receipt } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { duration, when } from "../../lib/time.ts";
import { CopyIcon } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Facts, Loading } from "../../ui/parts.tsx";
import { Status } from "../../ui/status.tsx";
import { Attempts, Charge, Entries, Routing } from "./receipt-parts.tsx";
import { VerifyReceipt } from "./verify-receipt.tsx";

export function RequestDialog({ id, onClose }: { id: string | undefined; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Request" side open={id !== undefined} onClose={onClose}>
      {id !== undefined && <RequestDetails id={id} />}
    </Dialog>
  );
}

function RequestDetails({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ["receipt", id], queryFn: () => getReceipt(api, id) });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="Loading the request" lines={8} />;
  return (
    <div className="space-y-6">
      <Summary receipt={data} />
      <Routing receipt={data} />
      <Attempts receipt={data} />
      <Charge receipt={data} />
      <Entries entries={data.ledger} />
      <VerifyReceipt id={id} />
    </div>
  );
}

function Summary({ receipt: { request_id, log } }: { receipt: Receipt }): ReactNode {
  return (
    <div className="space-y-4">
      {log.error !== null && (
        <div className="rounded-lg border border-bad/40 bg-bad-soft p-4">
          <p className="font-mono text-xs">{log.error.code}</p>
          <p className="mt-1 break-words">{log.error.message}</p>
        </div>
      )}
      <Facts
        rows={[
          ["Request id", <Id key="id" id={request_id} />],
          ["Status", <Status key="status" row={log} />],
          ["Time", when(log.created_at)],
          ["Model", log.alias === null ? log.model : `${log.model} via ${log.alias}`],
          ...(log.served_model === null ? [] : [["Answered by", log.served_model] as const]),
          ["Endpoint", log.endpoint],
          ["Key", log.key ?? "Session"],
          ["Duration", duration(log.latency_ms)],
          ["First token", duration(log.ttft_ms)],
          ["Cost", usd(log.cost_usd)],
        ]}
      />
    </div>
  );
}

function Id({ id }: { id: string }): ReactNode {
  return (
    <span className="flex items-center gap-1 font-mono text-xs break-all">
      {id} <CopyIcon text={id} what="request id" />
    </span>
  );
}
