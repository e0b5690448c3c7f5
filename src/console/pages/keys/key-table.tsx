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
import { EditKey } from "./edit-key.tsx";
import { resetNames } from "./resets.ts";
import { RollKey } from "./roll-key.tsx";

const reload = () => queries.invalidateQueries({ queryKey: keysQuery.queryKey });

export function KeyTable({ keys, readOnly }: { keys: readonly ApiKeyRecord[]; readOnly: boolean }): ReactNode {
  const [deleting, setDeleting] = useState<ApiKeyRecord | null>(null);
  const [rolling, setRolling] = useState<ApiKeyRecord | null>(null);
  const [editing, setEditing] = useState<ApiKeyRecord | null>(null);
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
    stays: true,
    right: true,
    cell: (key) => (
      <Menu label={`Actions for ${key.name}`} trigger={<Icon name="more" />}>
        <MenuItem onSelect={() => toggle.mutate(key)}>{key.enabled ? "Disable" : "Enable"}</MenuItem>
        <MenuItem onSelect={() => setEditing(key)}>Edit</MenuItem>
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
      <Table name="API keys" rows={keys} idOf={({ id }) => id} columns={readOnly ? columns : [...columns, actions]} />
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
      <EditKey of={editing} onClose={() => setEditing(null)} />
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
  { name: "Status", cell: (key) => <KeyStatus of={key} /> },
  { name: "Spent", right: true, cell: ({ usage_usd }) => usd(usage_usd) },
  {
    name: "Limit",
    right: true,
    cell: ({ limit_usd, limit_resets, lifetime_limit_usd }) => (
      <>
        {limit_usd === null ? <p className="text-quiet">No limit</p> : <p>{`${usd(limit_usd)} ${resetNames[limit_resets].short}`}</p>}
        {limit_resets !== "never" && lifetime_limit_usd !== null && <p className="text-xs text-quiet">{usd(lifetime_limit_usd)} in all</p>}
      </>
    ),
  },
  {
    name: "Allowed",
    cell: ({ allowed_models, allowed_networks, allowed_operations, scopes }) => (
      <div className="max-w-56 min-w-28 text-xs">
        <p className="break-all">{shortList(allowed_models, "All models")}</p>
        {allowed_networks !== null && <p className="break-all text-quiet">From {shortList(allowed_networks, "")}</p>}
        {allowed_operations !== null && <p className="text-quiet">{allowed_operations.length} operations</p>}
        {scopes.length > 0 && <p className="text-quiet">{scopes.map((scope) => scope.replace("_", " ")).join(", ")}</p>}
      </div>
    ),
  },
  { name: "Expires", right: true, cell: ({ expires_at }) => <span title={when(expires_at)}>{expires_at === null ? "Never" : dayOf(expires_at)}</span> }, // prettier-ignore
  {
    name: "Last used",
    right: true,
    cell: ({ last_used_at, created_at }) => (
      <>
        <p title={when(last_used_at)}>{ago(last_used_at)}</p>
        <p className="text-xs text-quiet">Created {dayOf(created_at)}</p>
      </>
    ),
  },
];

function shortList(entries: readonly string[] | null, all: string): string {
  if (entries === null) return all;
  return entries.length <= 2 ? entries.join(", ") : `${entries.slice(0, 2).join(", ")} and ${entries.length - 2} more`;
}

function KeyStatus({ of: { enabled, expires_at, previous_secret_until } }: { of: ApiKeyRecord }): ReactNode {
  const expired = expires_at !== null && new Date(expires_at) <= new Date();
  const rolled = previous_secret_until !== null && new Date(previous_secret_until) > new Date();
  return (
    <div className="min-w-20 space-y-1">
      {expired ? <Badge tone="bad">Expired</Badge> : <Badge tone={enabled ? "good" : "quiet"}>{enabled ? "Enabled" : "Disabled"}</Badge>}
      {rolled && <p className="text-xs text-quiet">Old secret until {when(previous_secret_until)}</p>}
    </div>
  );
}
