// Jobs: the media jobs of all accounts, filtered by what the address says; a row opens the job.
import type { OperatorJob } from "svc-sdk";
import type { ListOperatorJobsQuery } from "svc-sdk/types";
import { listOperatorJobs } from "svc-sdk/operator";
import { type ReactNode, useDeferredValue } from "react";
import { api } from "../../lib/api.ts";
import { none, usd } from "../../lib/money.ts";
import { endOfRange, timesOf } from "../../lib/range.ts";
import { zoneName } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { choicesOf, SearchBox, Select } from "../../ui/field.tsx";
import { Ago, Card, Empty, Page } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { OperatorLink, type OperatorSearch, useAddress } from "../address.tsx";
import { PagedTable } from "../paged-table.tsx";
import { JobDialog } from "./job-dialog.tsx";
import { JobStatus } from "./job-status.tsx";

const statuses = [
  "queued",
  "pending",
  "processing",
  "succeeded",
  "failed",
  "refunded",
  "expired",
] as const satisfies readonly OperatorJob["status"][];
const kinds = ["image", "video"] as const satisfies readonly OperatorJob["kind"][];
const isJob = (text: string) => /^(?:job|vid|gm)_[0-9a-f]{32}$/.test(text);
const isAccount = (text: string) => /^acc_[1-9]\d{0,17}$/.test(text);
/** Over all accounts the gateway searches a month. */
const mostDays = 31;

/** What is typed is an account's id, or a model's; a job's id opens the job. */
function queryOf({ q = "", status, kind, ...search }: OperatorSearch): ListOperatorJobsQuery {
  const text = q.trim();
  const [chosen, made] = [statuses.find((one) => one === status), kinds.find((one) => one === kind)];
  const asked: ListOperatorJobsQuery = {
    ...(text === "" || isJob(text) ? {} : isAccount(text) ? { account: text } : { model: text }),
    ...(chosen === undefined ? {} : { status: chosen }),
    ...(made === undefined ? {} : { kind: made }),
  };
  const times = timesOf(search);
  return { ...asked, ...(asked.account === undefined ? endOfRange(times, mostDays * 86_400_000) : times) };
}

export function Jobs(): ReactNode {
  const { search, set, clear } = useAddress();
  const q = useDeferredValue(search.q ?? "");
  const asked = queryOf({ ...search, q });
  const type = (text: string) => set({ q: text, job: isJob(text.trim()) ? text.trim() : "" });
  return (
    <Page
      title="Jobs"
      about={`Media jobs of all accounts, for up to a month, or of one account, for any time. Newest first. Times are in your zone, ${zoneName}.`}
    >
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox
          value={search.q ?? ""}
          maxLength={200}
          placeholder="Id of a job, account or model"
          onChange={(event) => type(event.target.value)}
        />
        <Select
          label="Status"
          inline
          value={asked.status ?? ""}
          choices={choicesOf(statuses)}
          onChange={(event) => set({ status: event.target.value })}
        />
        <Select
          label="Kind"
          inline
          value={asked.kind ?? ""}
          choices={choicesOf(kinds)}
          onChange={(event) => set({ kind: event.target.value })}
        />
        <DateRange
          search={search}
          {...(asked.account === undefined ? { empty: "Last 31 days", mostDays } : { empty: "Any time" })}
          set={set}
        />
      </div>
      <Card title="Jobs" flush>
        <PagedTable
          name="Jobs"
          asked={[asked]}
          read={(cursor) => listOperatorJobs(api, { ...asked, ...cursor })}
          idOf={({ id }) => id}
          columns={columns}
          onOpen={({ id }) => set({ job: id })}
          empty={
            Object.keys(asked).length > 0 ? (
              <Empty title="No matching jobs" action={<Button onClick={clear}>Clear the filters</Button>} />
            ) : (
              <Empty title="No jobs yet" />
            )
          }
        />
      </Card>
      <JobDialog id={search.job} onClose={() => set({ job: "", ...(isJob(search.q ?? "") ? { q: "" } : {}) })} />
    </Page>
  );
}

const columns: readonly Column<OperatorJob>[] = [
  { name: "Submitted", cell: ({ created_at }) => <Ago at={created_at} /> },
  { name: "Account", cell: ({ account_id }) => <OperatorLink path={`accounts/${account_id}`}>{account_id}</OperatorLink> },
  { name: "Kind", cell: ({ kind }) => kind },
  { name: "Model", cell: ({ model }) => <span className="block min-w-32 break-all">{model}</span> },
  { name: "Status", cell: (job) => <JobStatus job={job} /> },
  { name: "Route", cell: ({ route }) => <span className="block min-w-40 break-all">{route ?? none}</span> },
  { name: "Held", right: true, cell: ({ estimated_usd }) => usd(estimated_usd) },
  { name: "Charged", right: true, cell: ({ charged_usd }) => usd(charged_usd) },
  { name: "Refunded", right: true, cell: ({ refunded_usd }) => usd(refunded_usd) },
];
