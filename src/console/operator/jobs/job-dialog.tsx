// One media job as operators see it: its times, what each provider answered, its money, giving the charge back and cancelling it.
import { useQuery } from "@tanstack/react-query";
import type { OperatorJobDetail } from "svc-sdk";
import { cancelOperatorJob, getOperatorJob } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { none, usd } from "../../lib/money.ts";
import { when } from "../../lib/time.ts";
import { Entries } from "../../pages/logs/receipt-parts.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Facts, Loading } from "../../ui/parts.tsx";
import { OperatorLink } from "../address.tsx";
import { ChangeDialog } from "../change-dialog.tsx";
import { CallAttempts } from "../requests/call-attempts.tsx";
import { Refund } from "../requests/refund.tsx";
import { useMay } from "../role.ts";
import { JobStatus } from "./job-status.tsx";

export function JobDialog({ id, onClose }: { id: string | undefined; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Job" side open={id !== undefined} onClose={onClose}>
      {id !== undefined && <JobDetails id={id} />}
    </Dialog>
  );
}

function JobDetails({ id }: { id: string }): ReactNode {
  const { data, error, refetch } = useQuery({ queryKey: ["operator", "job", id], queryFn: () => getOperatorJob(api, id) });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Loading what="Loading the job" lines={8} />;
  return (
    <div className="space-y-6">
      <Summary job={data} />
      {data.completed_at === null ? <Cancelling job={data} /> : <GivingBack job={data} />}
      <CallAttempts attempts={data.attempts} />
      <Entries entries={data.ledger} />
    </div>
  );
}

function Summary({ job }: { job: OperatorJobDetail }): ReactNode {
  const { id, account_id, email, request_id, error, model, alias, api: through, kind, files } = job;
  return (
    <Facts
      rows={[
        ["Job", <span key="id" className="flex items-center gap-1 font-mono text-xs break-all">{id} <CopyIcon text={id} what="job id" /></span>], // prettier-ignore
        ["Account", <OperatorLink key="account" path={`accounts/${account_id}`}>{`${email} (${account_id})`}</OperatorLink>],
        ["Request", <OperatorLink key="request" path="requests" search={{ request: `${request_id} ${account_id}` }}>{request_id}</OperatorLink>], // prettier-ignore
        ["Status", <JobStatus key="status" job={job} />],
        ...(error === null ? [] : [["Error", error.message ?? none] as const, ["Provider's word", error.word ?? none] as const]),
        ["Kind", `${kind}, through the API ${through}`],
        ["Model", alias === null ? model : `${model} via ${alias}`],
        ["Submitted", when(job.created_at)],
        ["Got a slot", when(job.started_at)],
        ["Provider called", when(job.asked_at)],
        ["Ended", when(job.completed_at)],
        ...(job.leased_until === null ? [] : [["Leased until", when(job.leased_until)] as const]),
        ["Held", usd(job.estimated_usd)],
        ["Charged", usd(job.charged_usd)],
        ["Refunded", usd(job.refunded_usd)],
        ...(files.length === 0 ? [] : [["Files", <Files key="files" files={files} />] as const]),
      ]}
    />
  );
}

/** Addresses to copy: what a customer made is not opened by a slip of the hand. */
function Files({ files }: { files: readonly string[] }): ReactNode {
  return (
    <ul>
      {files.map((file, index) => (
        <li key={index} className="flex items-center gap-1 font-mono text-xs break-all">
          {file} <CopyIcon text={file} what="address" />
        </li>
      ))}
    </ul>
  );
}

function GivingBack({ job }: { job: OperatorJobDetail }): ReactNode {
  const [open, setOpen] = useState(false);
  const may = useMay("finance");
  const { charged_usd } = job;
  if (job.status === "refunded" || job.ledger.some(({ type }) => type === "refund")) return <p>The charge was refunded.</p>;
  if (charged_usd === null || charged_usd === 0) return <p className="text-quiet">Nothing was charged, so there is nothing to refund.</p>;
  if (!may) return <p className="text-quiet">Refunding the charge needs the role finance.</p>;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Refund</Button>
      <Refund of={{ ...job, charged_usd }} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

function Cancelling({ job: { id, account_id, email, started_at, estimated_usd } }: { job: OperatorJobDetail }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Cancel job</Button>
      <ChangeDialog
        action="Cancel job"
        open={open}
        onClose={() => setOpen(false)}
        make={async (reason) => (await cancelOperatorJob(api, id, { reason }), "The job is cancelled.")}
      >
        <p className="break-words">
          The job of <strong>{email}</strong> ({account_id}) ends now, and can't be continued.{" "}
          {started_at === null ? "It holds nothing yet." : `The ${usd(estimated_usd)} that it holds are released.`} A provider that works on
          it is asked to stop; you pay for what it makes anyway.
        </p>
      </ChangeDialog>
    </>
  );
}
