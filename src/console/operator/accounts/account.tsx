// One account: its money, its keys, its last calls, and what operators did to it.
import { useQuery } from "@tanstack/react-query";
import type { ApiKeyRecord, Member, OperatorAccountDetail } from "svc-sdk";
import { getOperatorAccount } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { none, usd, usdShort } from "../../lib/money.ts";
import { ago, dayOf, when } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { CopyIcon } from "../../ui/copy.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Badge, Card, Empty, Facts, Loading, Page } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { OperatorLink, useAddress } from "../address.tsx";
import { Actions } from "../audit/actions.tsx";
import { Calls } from "../requests/calls.tsx";
import { useMay } from "../role.ts";
import { type AccountChange, AccountChanges } from "./account-changes.tsx";
import { AccountLedger } from "./account-ledger.tsx";
import { AccountStatus } from "./accounts.tsx";

export function Account(): ReactNode {
  const id = useAddress().path.split("/")[1] ?? "";
  const { data, error, refetch } = useQuery({ queryKey: ["operator", "account", id], queryFn: () => getOperatorAccount(api, id) });
  return (
    <Page
      title={data?.email ?? "Account"}
      about={<OperatorLink path="accounts">All accounts</OperatorLink>}
      actions={data !== undefined && <Changes account={data} />}
    >
      <ErrorNote error={error} retry={() => void refetch()} />
      {data === undefined && error === null && <Loading what="Loading the account" lines={8} />}
      {data !== undefined && <Details account={data} />}
    </Page>
  );
}

function Changes({ account }: { account: OperatorAccountDetail }): ReactNode {
  const [change, setChange] = useState<AccountChange | null>(null);
  const may = useMay("finance");
  const suspended = account.status === "suspended";
  if (!may) return <p className="text-quiet">Changes need the role finance.</p>;
  return (
    <>
      <Button onClick={() => setChange("adjust")}>Adjust credit</Button>
      <Button onClick={() => setChange("tier")}>Set tier</Button>
      <Button kind="danger" disabled={suspended} onClick={() => setChange("suspend")}>
        Suspend
      </Button>
      <Button disabled={!suspended} onClick={() => setChange("resume")}>
        Resume
      </Button>
      <AccountChanges account={account} change={change} onClose={() => setChange(null)} />
    </>
  );
}

function Details({ account }: { account: OperatorAccountDetail }): ReactNode {
  const { id, keys, has_more_keys, members, has_more_members } = account;
  return (
    <>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Identity account={account} />
        <Money account={account} />
      </div>
      <Card title="API keys" flush>
        <Table name="API keys" rows={keys} idOf={({ id: key }) => key} columns={keyColumns} empty={<Empty title="No keys" />} />
        {has_more_keys && <p className="border-t border-line px-5 py-3 text-quiet">There are older keys that are not shown.</p>}
      </Card>
      <Card title="Members" flush>
        <Table name="Members" rows={members} idOf={(member) => member.id} columns={memberColumns} empty={<Empty title="No members" />} />
        {has_more_members && <p className="border-t border-line px-5 py-3 text-quiet">There are more members than are shown.</p>}
      </Card>
      <Card
        title="Requests"
        flush
        actions={
          <OperatorLink path="requests" search={{ account: id }}>
            With filters
          </OperatorLink>
        }
      >
        <Calls asked={{ account: id }} empty={<Empty title="No requests yet" />} />
      </Card>
      <Card title="Ledger entries" flush>
        <AccountLedger id={id} />
      </Card>
      <Card title="Operators' actions" flush>
        <Actions
          asked={{ target: id }}
          empty={<Empty title="No operator changed this account">Refunds of calls are in the audit log, under the request.</Empty>}
        />
      </Card>
    </>
  );
}

function Identity({ account }: { account: OperatorAccountDetail }): ReactNode {
  const { id, workspace_name, verified, tier, assigned_tier, created_at, suspended_at } = account;
  return (
    <Card title="Account">
      <Facts
        rows={[
          ["Id", <span key="id" className="flex items-center gap-1 font-mono text-xs">{id} <CopyIcon text={id} what="account id" /></span>], // prettier-ignore
          ["Workspace", workspace_name ?? none],
          ["Status", <AccountStatus key="status" account={account} />],
          ["Suspended", suspended_at === null ? "No" : when(suspended_at)],
          ["Address", verified ? "Verified" : "Not verified"],
          ["Tier", assigned_tier === null ? tier : `${tier}, set by an operator`],
          ["Created", when(created_at)],
        ]}
      />
    </Card>
  );
}

function Money({ account }: { account: OperatorAccountDetail }): ReactNode {
  return (
    <Card title="Balance">
      <p className="figures mb-4 text-3xl font-semibold tracking-tight" title={usd(account.balance_usd)}>
        {usdShort(account.balance_usd)}
      </p>
      <Facts
        rows={[
          ["Exactly", usd(account.balance_usd)],
          ["Held by calls", usd(account.reserved_usd)],
          ["Held by media jobs", usd(account.media_holds_usd)],
          ["Purchased", usd(account.lifetime_purchased_usd)],
          ["Given", usd(account.lifetime_earned_usd)],
          ["Spent", usd(account.lifetime_spent_usd)],
          ["Spent in 30 days", usd(account.spent_30d_usd)],
        ]}
      />
    </Card>
  );
}

const keyColumns: readonly Column<ApiKeyRecord>[] = [
  {
    name: "Name",
    cell: ({ name, masked }) => (
      <div className="max-w-64 min-w-40">
        <p className="font-medium break-words">{name}</p>
        <p className="font-mono text-xs text-quiet">{masked}</p>
      </div>
    ),
  },
  { name: "Status", cell: ({ enabled }) => <Badge tone={enabled ? "good" : "quiet"}>{enabled ? "Enabled" : "Disabled"}</Badge> },
  { name: "Spent", right: true, cell: ({ usage_usd }) => usd(usage_usd) },
  { name: "Limit", right: true, cell: ({ limit_usd }) => usd(limit_usd) },
  { name: "Last used", right: true, cell: ({ last_used_at }) => <span title={when(last_used_at)}>{ago(last_used_at)}</span> },
  { name: "Created", right: true, cell: ({ created_at }) => dayOf(created_at) },
];

const memberColumns: readonly Column<Member>[] = [
  {
    name: "Member",
    cell: ({ email, name }) => (
      <div className="max-w-80 min-w-40">
        <p className="font-medium break-all">{email}</p>
        <p className="text-xs break-words text-quiet">{name ?? "No name"}</p>
      </div>
    ),
  },
  { name: "Role", cell: ({ role }) => <Badge tone={role === "owner" ? "accent" : "quiet"}>{role}</Badge> },
  { name: "Since", right: true, cell: ({ created_at }) => dayOf(created_at) },
];
