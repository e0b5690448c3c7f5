// The table of keys, with a menu for each.
import { useMutation } from "@tanstack/react-query";
import { type ApiKeyRecord, deleteApiKey, updateApiKey } from "svc-sdk/functions";
import { type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { keysQuery, queries } from "../../lib/queries.ts";
import { ago, dayOf, when } from "../../lib/time.ts";
import { announce } from "../../ui/announce.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Badge } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { resetNames } from "./resets.ts";
import { RollKey } from "./roll-key.tsx";

const reload = () => queries.invalidateQueries({ queryKey: keysQuery.queryKey });

export function KeyTable({ keys }: { keys: readonly ApiKeyRecord[] }): ReactNode {
  const [deleting, setDeleting] = useState<ApiKeyRecord | null>(null);
  const [rolling, setRolling] = useState<ApiKeyRecord | null>(null);
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: ApiKeyRecord) => change(() => updateApiKey(api, id, { enabled: !enabled })),
    onSuccess: (key) => (announce(`${key.name} is ${key.enabled ? "enabled" : "disabled"}.`), reload()),
  });
  const remove = useMutation({
    mutationFn: ({ id }: ApiKeyRecord) => change(() => deleteApiKey(api, id)),
    onSuccess: (_, { name }) => (announce(`${name} is deleted.`), setDeleting(null), reload()),
  });
  const actions: Column<ApiKeyRecord> = {
    name: "Actions",
    hidden: true,
    right: true,
    cell: (key) => (
      <Menu label={`Actions for ${key.name}`} trigger={<Icon name="more" />}>
        <MenuItem onSelect={() => toggle.mutate(key)}>{key.enabled ? "Disable" : "Enable"}</MenuItem>
        <MenuItem onSelect={() => setRolling(key)}>Roll</MenuItem>
        <MenuItem danger onSelect={() => (remove.reset(), setDeleting(key))}>
          Delete
        </MenuItem>
      </Menu>
    ),
  };
  return (
    <>
      <ErrorNote error={toggle.error} />
      <Table name="API keys" rows={keys} idOf={({ id }) => id} columns={[...columns, actions]} />
      <Confirm
        action="Delete key"
        open={deleting !== null}
        busy={remove.isPending}
        error={remove.error}
        onClose={() => setDeleting(null)}
        onConfirm={() => deleting !== null && remove.mutate(deleting)}
      >
        <p>
          The key <strong>{deleting?.name}</strong> ({deleting?.masked}) is deleted. Programs that use it are refused from then on. This
          cannot be undone.
        </p>
      </Confirm>
      <RollKey replaced={rolling} onClose={() => setRolling(null)} />
    </>
  );
}

const columns: readonly Column<ApiKeyRecord>[] = [
  {
    name: "Name",
    cell: ({ name, masked, is_default }) => (
      <div className="max-w-64 min-w-40">
        <p className="flex flex-wrap items-center gap-2 font-medium break-words">
          {name} {is_default && <Badge tone="accent">Default</Badge>}
        </p>
        <p className="font-mono text-xs text-quiet">{masked}</p>
      </div>
    ),
  },
  { name: "Status", cell: ({ enabled }) => <Badge tone={enabled ? "good" : "quiet"}>{enabled ? "Enabled" : "Disabled"}</Badge> },
  { name: "Spent", right: true, cell: ({ usage_usd }) => usd(usage_usd) },
  {
    name: "Limit",
    right: true,
    cell: ({ limit_usd, limit_resets }) =>
      limit_usd === null ? <span className="text-quiet">No limit</span> : `${usd(limit_usd)} ${resetNames[limit_resets].short}`,
  },
  { name: "Last used", right: true, cell: ({ last_used_at }) => <span title={when(last_used_at)}>{ago(last_used_at)}</span> },
  { name: "Created", right: true, cell: ({ created_at }) => dayOf(created_at) },
];
