// Providers: how each and each of its routes does, and taking one out of use for a while.
import { useQuery } from "@tanstack/react-query";
import type { OperatorProvider } from "svc-sdk";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { providersQuery } from "../queries.ts";
import { useMay } from "../role.ts";
import { Disable, Enable, type Target } from "./availability.tsx";
import { actionColumn, figureColumns, type Row, State } from "./columns.tsx";

export function Providers(): ReactNode {
  const [disabling, setDisabling] = useState<Target | null>(null);
  const [enabling, setEnabling] = useState<Target | null>(null);
  const may = useMay("admin");
  const { data, error, refetch } = useQuery(providersQuery);
  const actions = may ? [actionColumn(setDisabling, setEnabling)] : [];
  return (
    <Page
      title="Providers"
      about="Attempts and latency cover the last 5 minutes in all processes, margins the last 24 hours. Updates every 15 seconds."
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading providers" lines={8} />}
      {data !== undefined && (
        <>
          <Card title="Providers" flush>
            <Table
              name="Providers"
              rows={data.map(providerRow)}
              idOf={({ name }) => name}
              columns={[nameColumn("Provider"), stateColumn, ...figureColumns, ...actions]}
              empty={<Empty title="The catalog has no providers" />}
            />
          </Card>
          <Card title="Routes" flush>
            <Table
              name="Routes"
              rows={data.flatMap(routeRows)}
              idOf={({ name }) => name}
              columns={[nameColumn("Route"), stateColumn, ...figureColumns, ...actions]}
              empty={<Empty title="The catalog has no routes" />}
            />
          </Card>
        </>
      )}
      {disabling !== null && <Disable target={disabling} onClose={() => setDisabling(null)} />}
      {enabling !== null && <Enable target={enabling} onClose={() => setEnabling(null)} />}
    </Page>
  );
}

const providerRow = (provider: OperatorProvider): Row => ({
  name: provider.id,
  about: provider.protocol,
  breaker: null,
  disabled: provider.disabled,
  figures: provider,
  target: { provider: provider.id },
});

const routeRows = (provider: OperatorProvider): Row[] =>
  provider.routes.map((route) => ({
    name: route.route,
    about: route.models.join(", "),
    breaker: route.breaker,
    disabled: route.disabled,
    figures: route,
    target: { provider: provider.id, upstreamModel: route.upstream_model },
  }));

const nameColumn = (name: string): Column<Row> => ({
  name,
  cell: (row) => (
    <div className="min-w-52">
      <p className="font-medium break-all">{row.name}</p>
      <p className="max-w-80 text-xs break-words text-quiet">{row.about}</p>
    </div>
  ),
});

const stateColumn: Column<Row> = { name: "State", cell: (row) => <State row={row} /> };
