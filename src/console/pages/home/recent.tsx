// The newest requests; for an account that has made none, the first call to make.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useHasCredits } from "../../lib/prices.ts";
import { usd } from "../../lib/money.ts";
import { gatewayUrl } from "../../lib/place.ts";
import { modelsQuery, recentQuery } from "../../lib/queries.ts";
import { ago, duration, when } from "../../lib/time.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Loading } from "../../ui/parts.tsx";
import { Status } from "../../ui/status.tsx";
import { Table } from "../../ui/table.tsx";

export function Recent(): ReactNode {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(recentQuery);
  return (
    <Card
      title="Recent requests"
      flush
      actions={
        <ButtonLink kind="quiet" to="/logs">
          All requests
        </ButtonLink>
      }
    >
      {error !== null && (
        <div className="p-5">
          <ErrorNote error={error} retry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null && <Loading what="Loading requests" />}
      {data?.length === 0 && <FirstCall />}
      {data !== undefined && data.length > 0 && (
        <Table
          name="Recent requests"
          rows={data}
          idOf={({ id }) => id}
          onOpen={({ request_id }) => void navigate({ to: "/logs", search: { request: request_id } })}
          columns={[
            { name: "Model", cell: ({ model }) => <span className="block min-w-36 break-all">{model}</span> },
            { name: "Status", cell: (row) => <Status row={row} /> },
            { name: "Duration", right: true, cell: ({ latency_ms }) => duration(latency_ms) },
            { name: "Cost", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
            { name: "Time", right: true, cell: ({ created_at }) => <time dateTime={created_at} title={when(created_at)}>{ago(created_at)}</time> }, // prettier-ignore
          ]}
        />
      )}
    </Card>
  );
}

function FirstCall(): ReactNode {
  const hasCredits = useHasCredits();
  const { data: models, isPending } = useQuery(modelsQuery);
  const free = models?.find(({ type, free_tier }) => type === "language" && free_tier)?.id;
  const model = hasCredits === false && free !== undefined ? free : "best";
  if (hasCredits === undefined || isPending) return <Loading what="Loading the first call" />;
  const sample = `curl ${gatewayUrl}/v1/chat/completions \\\n  -H "Authorization: Bearer $SVC_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`;
  return (
    <div className="space-y-3 px-5 pb-6">
      <p className="text-quiet">
        No requests yet.{" "}
        <Link to="/playground" className="text-accent underline">
          Try a model
        </Link>{" "}
        in the playground, or create a key and make the first call:
      </p>
      <pre
        tabIndex={0}
        aria-label="The first call with curl"
        className="overflow-x-auto rounded-lg bg-sunken p-4 font-mono text-xs leading-relaxed"
      >
        {sample}
      </pre>
    </div>
  );
}
