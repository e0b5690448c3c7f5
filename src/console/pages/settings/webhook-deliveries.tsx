// What was posted to an endpoint and how it answered, newest first; each can be sent again.
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { listWebhookDeliveries, replayWebhookDelivery, type WebhookDelivery, type WebhookEndpoint } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { none } from "../../lib/money.ts";
import { queries } from "../../lib/queries.ts";
import { when } from "../../lib/time.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Empty, Loading } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { eventNames } from "./event-names.ts";

export function Deliveries({ of, onClose }: { of: WebhookEndpoint | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Deliveries" side open={of !== null} onClose={onClose}>
      {of !== null && <Log endpoint={of} />}
    </Dialog>
  );
}

const pageSize = 50;
/** While one waits, the log is read again: most are delivered within a second. */
const lookAgainMs = 2_000;

function Log({ endpoint: { id, url, enabled } }: { endpoint: WebhookEndpoint }): ReactNode {
  const queryKey = ["webhooks", id, "deliveries"];
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => listWebhookDeliveries(api, id, { limit: pageSize, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ has_more, last_id }) => (has_more ? last_id : null),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.data.some(({ status }) => status === "waiting") ? lookAgainMs : false),
  });
  const replay = useMutation({
    mutationFn: (delivery: WebhookDelivery) => change(() => replayWebhookDelivery(api, id, delivery.id)),
    onSuccess: () => (announce("The delivery is sent again."), queries.invalidateQueries({ queryKey })),
  });
  const actions: Column<WebhookDelivery> = {
    name: "Actions",
    hidden: true,
    right: true,
    cell: (delivery) => (
      <Button
        kind="quiet"
        disabled={!enabled || replay.isPending}
        aria-label={`Send again: ${eventNames[delivery.event]}, ${when(delivery.created_at)}`}
        onClick={() => replay.mutate(delivery)}
      >
        Send again
      </Button>
    ),
  };
  return (
    <div className="space-y-4">
      <p className="font-mono text-xs break-all">{url}</p>
      <ErrorNote error={error ?? replay.error} retry={error === null ? undefined : () => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the deliveries" />}
      {data !== undefined && (
        <Table
          name="Deliveries"
          rows={data.pages.flatMap((page) => page.data)}
          idOf={(delivery) => delivery.id}
          columns={[...columns, actions]}
          empty={<Empty title="Nothing was posted yet">Send a test, or wait for an event. The log goes back 30 days.</Empty>}
        />
      )}
      {hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

const states = {
  waiting: <Badge tone="warn">Waiting</Badge>,
  delivered: <Badge tone="good">Delivered</Badge>,
  failed: <Badge tone="bad">Failed</Badge>,
};

const columns: readonly Column<WebhookDelivery>[] = [
  {
    name: "Event",
    cell: ({ event, created_at }) => (
      <div className="min-w-36">
        <p className="font-medium">{eventNames[event]}</p>
        <p className="text-xs text-quiet">{when(created_at)}</p>
      </div>
    ),
  },
  {
    name: "Status",
    cell: ({ status, next_attempt_at, attempts }) => (
      <>
        {states[status]}
        {next_attempt_at !== null && attempts > 0 && <p className="mt-1 w-24 text-xs text-quiet">Next {when(next_attempt_at)}</p>}
      </>
    ),
  },
  {
    name: "Answer",
    cell: ({ response_code, response }) => (
      <div className="max-w-44 min-w-16">
        <p className="figures">{response_code ?? none}</p>
        {response !== null && response !== "" && <p className="line-clamp-3 font-mono text-xs break-all text-quiet">{response}</p>}
      </div>
    ),
  },
  { name: "Attempts", right: true, cell: ({ attempts }) => attempts },
];
