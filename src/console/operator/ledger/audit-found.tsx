// What an audit of the ledger found: what it read, balances that differ, and the first broken link of the chain.
import type { LedgerAudit } from "svc-sdk";
import type { ReactNode } from "react";
import { count, usd } from "../../lib/money.ts";
import { duration, when } from "../../lib/time.ts";
import { CopyIcon } from "../../ui/copy.tsx";
import { Facts } from "../../ui/parts.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { OperatorLink } from "../address.tsx";
import { AuditStatus } from "./audit-status.tsx";

type Result = NonNullable<LedgerAudit["result"]>;

export function AuditFound({ audit }: { audit: LedgerAudit }): ReactNode {
  const { id, status, started_at, ended_at, result } = audit;
  if (result === null) return null;
  const { accounts, entries, chain_entries, chain_head, holds_open, media_holds_open, broken, mismatches, truncated } = result;
  const took = ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at);
  return (
    <div className="space-y-5">
      <Facts
        rows={[
          ["Audit", id],
          ["Result", <AuditStatus key="status" status={status} />],
          ["Began", `${when(started_at)}, took ${duration(took)}`],
          ["Balances", `${count(accounts)} accounts, recomputed from ${count(entries)} entries`],
          ["Open holds", `${count(holds_open)} of calls, ${count(media_holds_open)} of media jobs`],
          ["Chain", `${count(chain_entries)} links verified`],
          ["Chain head", chain_head === null ? "None: the chain is broken" : <Head key="head" text={chain_head} />],
        ]}
      />
      {broken !== null && <Broken link={broken} />}
      {mismatches.length > 0 && (
        <div className="-mx-5 border-t border-line">
          <Table name="What differs" rows={mismatches} idOf={({ account_id, what }) => `${account_id} ${what}`} columns={columns} />
          {truncated && (
            <p className="px-5 py-3 text-quiet">
              There are more differences than this list shows: <code>npx svc ledger audit</code> lists them all.
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function Head({ text }: { text: string }): ReactNode {
  return (
    <span className="flex items-center gap-1 font-mono text-xs break-all">
      {text} <CopyIcon text={text} what="chain head" />
    </span>
  );
}

function Broken({ link: { account_id, entry_id, reason } }: { link: NonNullable<Result["broken"]> }): ReactNode {
  return (
    <p className="rounded-lg bg-bad-soft px-4 py-3 break-words text-bad" role="note" aria-label="Broken link">
      The first broken link is entry {entry_id} of {account_id}: {reason}.
    </p>
  );
}

const columns: readonly Column<Result["mismatches"][number]>[] = [
  { name: "Account", cell: ({ account_id }) => <OperatorLink path={`accounts/${account_id}`}>{account_id}</OperatorLink> },
  { name: "What", cell: ({ what }) => what },
  { name: "Stored", right: true, cell: ({ stored_usd }) => usd(stored_usd) },
  { name: "Computed", right: true, cell: ({ computed_usd }) => usd(computed_usd) },
];
