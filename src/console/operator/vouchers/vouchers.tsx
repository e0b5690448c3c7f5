// Vouchers: those that were made, what became of each, making and ending them. Their codes are shown once, where they are made.
import type { MadeVouchers, OperatorVoucher } from "svc-sdk";
import type { ListVouchersQuery } from "svc-sdk/types";
import { listVouchers } from "svc-sdk/operator";
import { type ReactNode, useDeferredValue, useState } from "react";
import { api } from "../../lib/api.ts";
import { none, usd } from "../../lib/money.ts";
import { dayOf } from "../../lib/time.ts";
import { Button } from "../../ui/button.tsx";
import { choicesOf, SearchBox, Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem } from "../../ui/menu.tsx";
import { Ago, Badge, Card, Empty, Page } from "../../ui/parts.tsx";
import type { Column } from "../../ui/table.tsx";
import { OperatorLink, type OperatorSearch, useAddress } from "../address.tsx";
import { PagedTable } from "../paged-table.tsx";
import { useMay } from "../role.ts";
import { EndVouchers, type Ending } from "./end-vouchers.tsx";
import { MakeVouchers, NewCodes } from "./make-vouchers.tsx";

const statuses = ["open", "redeemed", "ended", "expired"] as const satisfies readonly OperatorVoucher["status"][];
const tones = { open: "good", redeemed: "accent", ended: "quiet", expired: "quiet" } as const;

/** What is typed is an account's id, or a batch's number. */
function queryOf({ q = "", status }: OperatorSearch): ListVouchersQuery {
  const text = q.trim();
  const chosen = statuses.find((one) => one === status);
  return {
    ...(/^acc_[1-9]\d{0,17}$/.test(text) ? { account: text } : {}),
    ...(/^[1-9]\d{0,8}$/.test(text) ? { batch: Number(text) } : {}),
    ...(chosen === undefined ? {} : { status: chosen }),
  };
}

export function Vouchers(): ReactNode {
  const { search, set, clear } = useAddress();
  const asked = queryOf({ ...search, q: useDeferredValue(search.q ?? "") });
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeVouchers | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const may = useMay("finance");
  return (
    <Page
      title="Vouchers"
      about="Codes that workspaces redeem for credit. A code is shown only once, when it is made. This list shows each voucher's status."
      actions={
        may && (
          <Button kind="primary" onClick={() => setMaking(true)}>
            Make vouchers
          </Button>
        )
      }
    >
      <div className="flex flex-wrap items-end gap-3">
        <SearchBox
          value={search.q ?? ""}
          maxLength={40}
          placeholder="Batch or account id"
          onChange={(event) => set({ q: event.target.value })}
        />
        <Select
          label="Status"
          inline
          value={asked.status ?? ""}
          choices={choicesOf(statuses)}
          onChange={(event) => set({ status: event.target.value })}
        />
      </div>
      <Card title="Vouchers" flush>
        <PagedTable
          name="Vouchers"
          asked={[asked]}
          read={(cursor) => listVouchers(api, { ...asked, ...cursor })}
          idOf={({ id }) => id}
          columns={may ? [...columns, actionsWith(setEnding)] : columns}
          empty={
            Object.keys(asked).length > 0 ? (
              <Empty title="No matching vouchers" action={<Button onClick={clear}>Clear the filters</Button>} />
            ) : (
              <Empty title="No vouchers yet" />
            )
          }
        />
      </Card>
      {making && <MakeVouchers onMade={setMade} onClose={() => setMaking(false)} />}
      <NewCodes made={made} onClose={() => setMade(null)} />
      <EndVouchers ending={ending} onClose={() => setEnding(null)} />
    </Page>
  );
}

const columns: readonly Column<OperatorVoucher>[] = [
  { name: "Voucher", cell: ({ id }) => <span className="block min-w-40 font-mono text-xs break-all">{id}</span> },
  { name: "Batch", right: true, cell: ({ batch }) => batch },
  { name: "Credit", right: true, cell: ({ amount_usd }) => usd(amount_usd) },
  { name: "Status", cell: ({ status }) => <Badge tone={tones[status]}>{status}</Badge> },
  {
    name: "Redeemed by",
    cell: ({ account_id }) => (account_id === null ? none : <OperatorLink path={`accounts/${account_id}`}>{account_id}</OperatorLink>),
  },
  { name: "Redeemed", cell: ({ redeemed_at }) => (redeemed_at === null ? none : <Ago at={redeemed_at} />) },
  { name: "Redeemable until", cell: ({ expires_at }) => dayOf(expires_at) },
  { name: "Credit for", cell: ({ credit_days }) => (credit_days === null ? "No limit" : `${credit_days} days`) },
  {
    name: "Made",
    cell: ({ created_by, created_at }) => (
      <div className="min-w-40">
        <p className="break-all">{created_by}</p>
        <p className="text-xs text-quiet">
          <Ago at={created_at} />
        </p>
      </div>
    ),
  },
];

/** Of one that is not open the batch may still have others. */
function actionsWith(end: (ending: Ending) => void): Column<OperatorVoucher> {
  return {
    name: "Changes",
    hidden: true,
    stays: true,
    right: true,
    cell: ({ id, batch, status }) => (
      <Menu label={`Actions for ${id}`} trigger={<Icon name="more" />}>
        {status === "open" && (
          <MenuItem danger onSelect={() => end({ id })}>
            End voucher
          </MenuItem>
        )}
        <MenuItem danger onSelect={() => end({ batch })}>
          End batch {batch}
        </MenuItem>
      </Menu>
    ),
  };
}
