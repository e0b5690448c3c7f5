// Settings: what the gateway runs with, and where each value comes from; those that change while it runs. Secrets are only said to be set.
import { useQuery } from "@tanstack/react-query";
import type { OperatorSetting } from "svc-sdk";
import { listOperatorSettings } from "svc-sdk/operator";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { count, none } from "../../lib/money.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SearchBox, Select } from "../../ui/field.tsx";
import { Badge, Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useAddress } from "../address.tsx";
import { RunningSettings } from "./change-setting.tsx";

export function Settings(): ReactNode {
  const { search, set } = useAddress();
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "settings"],
    queryFn: () => listOperatorSettings(api),
  });
  const text = (search.q ?? "").trim().toLowerCase();
  const shown = data?.data.filter(
    ({ name, source }) => name.toLowerCase().includes(text) && (search.status === undefined || source === search.status),
  );
  return (
    <Page
      title="Settings"
      about="What the gateway runs with. Some settings can change while it runs, the rest need a restart. Secrets are never shown."
    >
      {data !== undefined && <RunningSettings values={data.changeable} settings={data.data} />}
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox
          value={search.q ?? ""}
          maxLength={100}
          placeholder="Part of the name"
          onChange={(event) => set({ q: event.target.value })}
        />
        <Select
          label="Source"
          inline
          value={search.status ?? ""}
          choices={[
            { value: "", label: "Any" },
            { value: "env", label: "Environment" },
            { value: "default", label: "Default" },
            { value: "operator", label: "Operator" },
          ]}
          onChange={(event) => set({ status: event.target.value })}
        />
      </div>
      <ErrorNote error={error} retry={() => void refetch()} />
      <Card title="Settings" flush>
        {data === undefined && error === null && <Loading what="Loading settings" lines={8} />}
        {shown !== undefined && (
          <Table name="Settings" rows={shown} idOf={({ name }) => name} columns={columns} empty={<Empty title="No matching settings" />} />
        )}
      </Card>
      {data !== undefined && (
        <p className="text-quiet">
          {count(data.data.filter(({ source }) => source === "env").length)} of {count(data.data.length)} are set in the environment.
        </p>
      )}
    </Page>
  );
}

const sources = { env: "Environment", default: "Default", operator: "Operator" } as const;

const columns: readonly Column<OperatorSetting>[] = [
  { name: "Setting", cell: ({ name }) => <span className="font-mono text-xs break-all">{name}</span> },
  {
    name: "Source",
    cell: ({ source }) => <Badge tone={source === "default" ? "quiet" : "accent"}>{sources[source]}</Badge>,
  },
  { name: "Value", cell: (setting) => <Value setting={setting} /> },
];

function Value({ setting: { secret, source, value } }: { setting: OperatorSetting }): ReactNode {
  if (secret) return <span className="text-quiet">{source === "env" ? "Secret, set" : "Secret, not set"}</span>;
  return <span className="block max-w-xl min-w-40 font-mono text-xs break-all whitespace-pre-wrap">{value ?? none}</span>;
}
