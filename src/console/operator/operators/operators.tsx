// Operators: who has which role; an admin gives and takes them.
import { useQuery } from "@tanstack/react-query";
import type { OperatorRecord } from "svc-sdk";
import { listOperators } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { dayOf } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Badge, Card, Empty, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useMay } from "../role.ts";
import { GiveRole, TakeRole } from "./role-changes.tsx";

export function Operators(): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ["operator", "operators"],
    queryFn: () => listOperators(api).then((list) => list.data),
  });
  const [giving, setGiving] = useState<string | null>(null);
  const [taking, setTaking] = useState<OperatorRecord | null>(null);
  const may = useMay("admin");
  const actions: Column<OperatorRecord> = {
    name: "Changes",
    hidden: true,
    stays: true,
    right: true,
    cell: (record) =>
      record.from_settings ? null : (
        <Menu label={`Actions for ${record.email}`} trigger={<Icon name="more" />}>
          <MenuItem onSelect={() => setGiving(record.email)}>Change role</MenuItem>
          <MenuItem danger onSelect={() => setTaking(record)}>
            Remove
          </MenuItem>
        </Menu>
      ),
  };
  return (
    <Page
      title="Operators"
      about="Support reads everything. Finance can also change accounts and their money. Admin can also change providers and operators."
      actions={
        may && (
          <Button kind="primary" onClick={() => setGiving("")}>
            Add operator
          </Button>
        )
      }
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      <Card title="Operators" flush>
        {data === undefined && error === null && <Loading what="Loading operators" />}
        {data !== undefined && (
          <Table
            name="Operators"
            rows={data}
            idOf={({ email }) => email}
            columns={may ? [...columns, actions] : columns}
            empty={<Empty title="No operators" />}
          />
        )}
      </Card>
      {giving !== null && <GiveRole account={giving} onClose={() => setGiving(null)} />}
      <TakeRole record={taking} onClose={() => setTaking(null)} />
    </Page>
  );
}

const columns: readonly Column<OperatorRecord>[] = [
  {
    name: "Operator",
    cell: ({ email, account_id }) => (
      <div className="min-w-48">
        <p className="font-medium break-all">{email}</p>
        <p className="font-mono text-xs text-quiet">{account_id ?? "No account yet"}</p>
      </div>
    ),
  },
  { name: "Role", cell: ({ role }) => <Badge tone={role === "admin" ? "accent" : "quiet"}>{role}</Badge> },
  { name: "Given by", cell: ({ added_by, from_settings }) => (from_settings ? "The setting SVC_OPERATORS" : added_by) },
  { name: "Since", right: true, cell: ({ added_at }) => dayOf(added_at) },
];
