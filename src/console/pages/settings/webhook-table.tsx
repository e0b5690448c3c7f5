// The table of webhook endpoints, with a menu for each.
import type { WebhookEndpoint } from "svc-sdk/functions";
import type { ReactNode } from "react";
import { ago, when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Badge } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { eventNames } from "./event-names.ts";

type Act = (endpoint: WebhookEndpoint) => void;

interface WebhookTableProps {
  endpoints: readonly WebhookEndpoint[];
  onOpen: Act;
  onTest: Act;
  onEdit: Act;
  onToggle: Act;
  onRoll: Act;
  onDelete: Act;
}

export function WebhookTable({ endpoints, onOpen, onTest, onEdit, onToggle, onRoll, onDelete }: WebhookTableProps): ReactNode {
  const actions: Column<WebhookEndpoint> = {
    name: "Actions",
    hidden: true,
    stays: true,
    right: true,
    cell: (one) => (
      <span className="inline-flex items-center gap-1">
        <Button aria-label={`Send a test to ${one.url}`} disabled={!one.enabled} onClick={() => onTest(one)}>
          Test
        </Button>
        <Menu label={`Actions for ${one.url}`} trigger={<Icon name="more" />}>
          <MenuItem onSelect={() => onOpen(one)}>Deliveries</MenuItem>
          <MenuItem onSelect={() => onEdit(one)}>Edit</MenuItem>
          <MenuItem onSelect={() => onToggle(one)}>{one.enabled ? "Disable" : "Enable"}</MenuItem>
          <MenuItem onSelect={() => onRoll(one)}>Roll secret</MenuItem>
          <MenuItem danger onSelect={() => onDelete(one)}>
            Delete
          </MenuItem>
        </Menu>
      </span>
    ),
  };
  return <Table name="Webhooks" rows={endpoints} idOf={({ id }) => id} columns={[...columns, actions]} />;
}

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    name: "Endpoint",
    cell: ({ url, description }) => (
      <div className="max-w-80 min-w-48">
        <p className="font-mono text-xs break-all">{url}</p>
        {description !== null && <p className="text-xs break-words text-quiet">{description}</p>}
      </div>
    ),
  },
  { name: "Status", cell: (endpoint) => <WebhookStatus of={endpoint} /> },
  {
    name: "Events",
    cell: ({ events }) => (
      <span title={events?.map((event) => eventNames[event]).join("\n")}>
        {events === null ? "All" : events.length === 1 ? eventNames[events[0]!] : `${events.length} events`}
      </span>
    ),
  },
];

function WebhookStatus({ of: { enabled, disabled_at, failing_since, previous_secret_until } }: { of: WebhookEndpoint }): ReactNode {
  const rolled = previous_secret_until !== null && new Date(previous_secret_until) > new Date();
  return (
    <div className="space-y-1">
      {enabled ? (
        <Badge tone={failing_since === null ? "good" : "warn"}>{failing_since === null ? "Enabled" : "Failing"}</Badge>
      ) : (
        <Badge tone={disabled_at === null ? "quiet" : "bad"}>{disabled_at === null ? "Disabled" : "Disabled: it failed"}</Badge>
      )}
      {enabled && failing_since !== null && <p className="text-xs text-quiet">Since {ago(failing_since)}</p>}
      {rolled && <p className="text-xs text-quiet">Old secret until {when(previous_secret_until)}</p>}
    </div>
  );
}
