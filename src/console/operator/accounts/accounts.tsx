// Accounts: found by address or id; a row leads to the account.
import type { OperatorAccount } from "svc-sdk";
import type { ListOperatorAccountsQuery } from "svc-sdk/types";
import { listOperatorAccounts } from "svc-sdk/operator";
import { type ReactNode, useDeferredValue, useState } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { dayOf } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { SearchBox, Select } from "../../ui/field.tsx";
import { Badge, Card, Empty, Page } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { useAddress } from "../address.tsx";
import { PagedTable } from "../paged-table.tsx";
import { useMay } from "../role.ts";
import { CreateAccount } from "./create-account.tsx";

export function Accounts(): ReactNode {
  const { search, set, open } = useAddress();
  const [creating, setCreating] = useState(false);
  const may = useMay("finance");
  const text = useDeferredValue(search.q ?? "").trim();
  const { status } = search;
  const asked: ListOperatorAccountsQuery = {
    ...(text === "" ? {} : /^(?:acc_)?[1-9]\d{0,17}$/.test(text) ? { id: text } : { email: text }),
    ...(status === "active" || status === "suspended" ? { status } : {}),
  };
  return (
    <Page
      title="Accounts"
      about="Every account of this gateway, newest first."
      actions={
        may && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create account
          </Button>
        )
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox
          value={search.q ?? ""}
          maxLength={320}
          placeholder="Part of the address, or an id"
          onChange={(event) => set({ q: event.target.value })}
        />
        <Select
          label="Status"
          inline
          value={status ?? ""}
          choices={[
            { value: "", label: "Any" },
            { value: "active", label: "Active" },
            { value: "suspended", label: "Suspended" },
          ]}
          onChange={(event) => set({ status: event.target.value })}
        />
      </div>
      <Card title="Accounts" flush>
        <PagedTable
          name="Accounts"
          asked={[asked]}
          read={(cursor) => listOperatorAccounts(api, { ...asked, ...cursor })}
          idOf={({ id }) => id}
          columns={columns}
          onOpen={({ id }) => open(`accounts/${id}`)}
          empty={<Empty title="No matching accounts" />}
        />
      </Card>
      {creating && <CreateAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}

export function AccountStatus({ account: { status } }: { account: Pick<OperatorAccount, "status"> }): ReactNode {
  return status === "active" ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>;
}

/** A workspace that was made beside a person's own has its maker's address. */
function Named({ email, workspace }: { email: string; workspace: string | null }): ReactNode {
  return (
    <span className="block max-w-96 min-w-48">
      <span className="block break-all">{email}</span>
      {workspace !== null && <span className="block text-xs font-normal break-words text-quiet">{workspace}</span>}
    </span>
  );
}

const columns: readonly Column<OperatorAccount>[] = [
  { name: "Account", cell: ({ email, workspace_name }) => <Named email={email} workspace={workspace_name} /> },
  { name: "Id", cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
  {
    name: "Status",
    cell: (account) => (
      <span className="flex gap-1.5">
        <AccountStatus account={account} /> {!account.verified && <Badge tone="warn">Not verified</Badge>}
      </span>
    ),
  },
  { name: "Tier", right: true, cell: ({ tier }) => tier },
  { name: "Balance", right: true, cell: ({ balance_usd }) => usd(balance_usd) },
  { name: "Spent in 30 days", right: true, cell: ({ spent_30d_usd }) => usd(spent_30d_usd) },
  { name: "Created", right: true, cell: ({ created_at }) => dayOf(created_at) },
];
