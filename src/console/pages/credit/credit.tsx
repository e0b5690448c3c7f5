// Credit: the balance, adding to it, and every entry of the ledger.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "../../lib/rights.ts";
import { RoleNote } from "../../shell/role-note.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/parts.tsx";
import { AddCredit } from "./add-credit.tsx";
import { AutoTopup } from "./auto-topup.tsx";
import { CreditBalance } from "./credit-balance.tsx";
import { Ledger } from "./ledger.tsx";
import { LastTopup } from "./last-topup.tsx";
import { Redeem } from "./redeem.tsx";

export function Credit(): ReactNode {
  const { add, redeem, auto } = useSearch({ from: "/inside/credit" });
  const navigate = useNavigate();
  const mayPay = useMay("pay") !== false;
  const setAdd = (open: boolean) => void navigate({ to: "/credit", search: open ? { add: "1" } : {}, replace: true });
  return (
    <Page
      title="Credit"
      about="All calls are paid from one prepaid balance. The ledger accounts for every cent."
      actions={
        mayPay && (
          <>
            <ButtonLink to="/credit/invoices">Invoices</ButtonLink>
            <ButtonLink to="/credit" search={{ redeem: "1" }}>
              Redeem voucher
            </ButtonLink>
            <Button kind="primary" onClick={() => setAdd(true)}>
              Add credit
            </Button>
          </>
        )
      }
    >
      <RoleNote right="pay" what="add credit and read invoices" />
      <LastTopup />
      <CreditBalance />
      <AutoTopup
        open={mayPay && auto !== undefined}
        setOpen={(open) => void navigate({ to: "/credit", search: open ? { auto: "1" } : {}, replace: true })}
      />
      <Ledger />
      <Redeem open={mayPay && redeem !== undefined} onClose={() => setAdd(false)} />
      <AddCredit open={mayPay && add !== undefined} onClose={() => setAdd(false)} />
    </Page>
  );
}
