// One call as operators see it: what each provider answered, how the charge adds up, and giving it back.
import { useQuery } from "@tanstack/react-query";
import type { OperatorCallDetail } from "svc-sdk";
import { getOperatorCall } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { count, usd } from "../../lib/money.ts";
import { duration, when } from "../../lib/time.ts";
import { Charge, Entries } from "../../pages/logs/receipt-parts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Facts, Loading } from "../../ui/parts.tsx";
import { Status } from "../../ui/status.tsx";
import { OperatorLink } from "../address.tsx";
import { useMay } from "../role.ts";
import { CallAttempts } from "./call-attempts.tsx";
import { Refund } from "./refund.tsx";

interface CallDialogProps {
  id: string | undefined;
  account: string | undefined;
  onClose: () => void;
}

export function CallDialog({ id, account, onClose }: CallDialogProps): ReactNode {
  return (
    <Dialog title="Request" side open={id !== undefined} onClose={onClose}>
      {id !== undefined && <CallDetails id={id} account={account} />}
    </Dialog>
  );
}

function CallDetails({ id, account }: { id: string; account: string | undefined }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "call", id, account],
    queryFn: () => getOperatorCall(api, id, account === undefined ? {} : { account }),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="Loading the request" lines={8} />;
  return (
    <div className="space-y-6">
      <Summary call={data} />
      <GivingBack call={data} />
      <CallAttempts attempts={data.attempts} />
      <Charge receipt={data} />
      <Entries entries={data.ledger} />
    </div>
  );
}

function Summary({ call: { request_id, account_id, email, log } }: { call: OperatorCallDetail }): ReactNode {
  const tags = Object.entries(log.tags ?? {});
  return (
    <Facts
      rows={[
        ["Request", <span key="id" className="flex items-center gap-1 font-mono text-xs break-all">{request_id} <CopyIcon text={request_id} what="request id" /></span>], // prettier-ignore
        ["Account", <OperatorLink key="account" path={`accounts/${account_id}`}>{`${email} (${account_id})`}</OperatorLink>],
        ["Time", when(log.created_at)],
        ["Status", <span key="status" className="flex flex-wrap items-center gap-2"><Status row={log} /> HTTP {log.http_status}</span>], // prettier-ignore
        ...(log.error === null ? [] : [["Error", log.error.message] as const]),
        ["Model", log.alias === null ? log.model : `${log.model} via ${log.alias}`],
        ...(log.served_model === null ? [] : [["Served by", log.served_model] as const]),
        ["Endpoint", log.endpoint],
        ["Key", log.key ?? "Session"],
        ["Tokens", `${count(log.prompt_tokens)} in, ${count(log.completion_tokens)} out`],
        ["Duration", duration(log.latency_ms)],
        ["Charged", usd(log.cost_usd)],
        ...(tags.length === 0 ? [] : [["Tags", <Tags key="tags" tags={tags} />] as const]),
      ]}
    />
  );
}

function Tags({ tags }: { tags: readonly (readonly [string, string])[] }): ReactNode {
  return (
    <ul>
      {tags.map(([name, value]) => (
        <li key={name}>
          {name}: {value}
        </li>
      ))}
    </ul>
  );
}

function GivingBack({ call }: { call: OperatorCallDetail }): ReactNode {
  const [open, setOpen] = useState(false);
  const may = useMay("finance");
  const given = call.ledger.find(({ type }) => type === "refund");
  if (given !== undefined) return <p>{usd(given.amount_usd)} was refunded{given.reason === undefined ? "" : `: ${given.reason}`}.</p>; // prettier-ignore
  if (call.charge.cost_usd === 0) return <p className="text-quiet">Nothing was charged, so there is nothing to refund.</p>;
  if (!may) return <p className="text-quiet">Refunding the charge needs the role finance.</p>;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Refund</Button>
      <Refund of={{ ...call, id: call.request_id, charged_usd: call.charge.cost_usd }} open={open} onClose={() => setOpen(false)} />
    </>
  );
}
