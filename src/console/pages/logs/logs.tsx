// Logs: every request, filtered by what the address says; a row opens the request with its receipt.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { listUsageLogs, type UsageLog } from "svc-sdk/functions";
import { type ReactNode, useDeferredValue } from "react";
import { api } from "../../lib/api.ts";
import { count, usd } from "../../lib/money.ts";
import { duration, zoneName } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Ago, Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { Status } from "../../ui/status.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Filters, type LogSearch, queryOf } from "./filters.tsx";
import { RequestDialog } from "./request-dialog.tsx";

export function Logs(): ReactNode {
  const search = useSearch({ from: "/inside/logs" });
  const navigate = useNavigate();
  const set = (changed: LogSearch) => void navigate({ to: "/logs", search: withoutEmpty({ ...search, ...changed }), replace: true });
  const asked = queryOf(search);
  const log = useInfiniteQuery({
    queryKey: ["logs", asked],
    queryFn: ({ pageParam }) => listUsageLogs(api, { ...asked, limit: 50, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.has_more ? page.last_id : null),
  });
  const text = useDeferredValue(search.q ?? "").toLowerCase();
  const loaded = log.data?.pages.flatMap((page) => page.data);
  const rows = loaded?.filter((row) => matches(row, text));
  return (
    <Page title="Logs" about={`Every request, newest first. Times are in your zone, ${zoneName}.`}>
      <Filters search={search} set={set} />
      <ErrorNote error={log.error} retry={() => void log.refetch()} />
      <Card title="Requests" flush>
        {rows === undefined && log.error === null && <Loading what="Loading requests" lines={6} />}
        {rows !== undefined && (
          <Table
            name="Requests"
            rows={rows}
            idOf={({ id }) => id}
            columns={columns}
            onOpen={({ request_id }) => set({ request: request_id })}
            empty={<NoRequests filtered={Object.keys(search).length > 0} clear={() => void navigate({ to: "/logs", search: {} })} />}
          />
        )}
      </Card>
      <div className="flex items-center justify-between gap-3">
        <p className="text-quiet">
          {rows !== undefined && `${count(rows.length)} shown${text !== "" && log.hasNextPage ? ", of those loaded so far" : ""}`}
        </p>
        {log.hasNextPage && (
          <Button busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
            Load older requests
          </Button>
        )}
      </div>
      <RequestDialog id={search.request} onClose={() => set({ request: "" })} />
    </Page>
  );
}

function withoutEmpty(search: LogSearch): LogSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ""));
}

function matches({ request_id, model, served_model, alias, key, endpoint, error }: UsageLog, text: string): boolean {
  return (
    text === "" || [request_id, model, served_model, alias, key, endpoint, error?.code].some((part) => part?.toLowerCase().includes(text))
  );
}

function NoRequests({ filtered, clear }: { filtered: boolean; clear: () => void }): ReactNode {
  if (!filtered) return <Empty title="No requests yet">Each call with one of your keys appears here, with what it cost and why.</Empty>;
  return <Empty title="No matching requests" action={<Button onClick={clear}>Clear the filters</Button>} />;
}

const columns: readonly Column<UsageLog>[] = [
  { name: "Time", cell: ({ created_at }) => <Ago at={created_at} /> },
  { name: "Model", cell: ({ model, alias }) => <span className="block min-w-36 break-all">{model}{alias !== null && <span className="text-quiet"> via {alias}</span>}</span> }, // prettier-ignore
  { name: "Status", cell: (row) => <Status row={row} /> },
  { name: "Input", right: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
  { name: "Output", right: true, cell: ({ completion_tokens }) => count(completion_tokens) },
  { name: "Duration", right: true, cell: ({ latency_ms }) => duration(latency_ms) },
  { name: "Cost", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
  { name: "Key", cell: ({ key }) => <span className="font-mono text-xs">{key ?? "Session"}</span> },
];
