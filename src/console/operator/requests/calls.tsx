// The table of calls, for all accounts or one: a row opens the call.
import type { OperatorCall } from "svc-sdk";
import type { ListOperatorCallsQuery } from "svc-sdk/types";
import { listOperatorCalls } from "svc-sdk/operator";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { duration } from "../../lib/time.ts";
import { Ago } from "../../ui/parts.tsx";
import { Status } from "../../ui/status.tsx";
import type { Column } from "../../ui/table.tsx";
import { OperatorLink, useAddress } from "../address.tsx";
import { PagedTable } from "../paged-table.tsx";
import { CallDialog } from "./call-dialog.tsx";

export function Calls({ asked, empty }: { asked: ListOperatorCallsQuery; empty: ReactNode }): ReactNode {
  const { search, set } = useAddress();
  const [id, account] = (search.request ?? "").split(" ");
  return (
    <>
      <PagedTable
        name="Requests"
        asked={[asked]}
        read={(cursor) => listOperatorCalls(api, { ...asked, ...cursor })}
        idOf={({ id: row }) => row}
        columns={columns}
        onOpen={({ request_id, account_id }) => set({ request: `${request_id} ${account_id}` })}
        empty={empty}
      />
      <CallDialog id={id === "" ? undefined : id} account={account} onClose={() => set({ request: "" })} />
    </>
  );
}

const columns: readonly Column<OperatorCall>[] = [
  { name: "Time", cell: ({ created_at }) => <Ago at={created_at} /> },
  { name: "Account", cell: ({ account_id }) => <OperatorLink path={`accounts/${account_id}`}>{account_id}</OperatorLink> },
  { name: "Model", cell: ({ model }) => <span className="block min-w-36 break-all">{model}</span> },
  { name: "Status", cell: (row) => <Status row={row} /> },
  { name: "Route", cell: ({ route }) => <span className="block min-w-40 break-all">{route ?? "No provider called"}</span> },
  { name: "Duration", right: true, cell: ({ latency_ms }) => duration(latency_ms) },
  { name: "Charged", right: true, cell: ({ cost_usd }) => usd(cost_usd) },
  { name: "Provider's cost", right: true, cell: ({ provider_cost_usd }) => usd(provider_cost_usd) },
];
