// What an operator changes of an account: suspending, resuming, its tier, correcting its money.
import type { OperatorAccountDetail } from "svc-sdk";
import { adjustAccount, resumeAccount, setAccountTier, suspendAccount } from "svc-sdk/operator";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { api, newKey } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { tiersQuery } from "../../lib/queries.ts";
import { Field, Select } from "../../ui/field.tsx";
import { ChangeDialog } from "../change-dialog.tsx";

export type AccountChange = "adjust" | "suspend" | "resume" | "tier";

interface ChangesProps {
  account: OperatorAccountDetail;
  change: AccountChange | null;
  onClose: () => void;
}

export function AccountChanges({ account, change, onClose }: ChangesProps): ReactNode {
  const { id, email } = account;
  return (
    <>
      <ChangeDialog
        action="Suspend"
        open={change === "suspend"}
        onClose={onClose}
        make={async (reason) => (await suspendAccount(api, id, { reason }), `${email} is suspended.`)}
      >
        <p className="break-words">
          The keys and sessions of <strong>{email}</strong> ({id}) are refused everywhere within a second. Its money and its records stay.
        </p>
      </ChangeDialog>
      <ChangeDialog
        action="Resume"
        open={change === "resume"}
        onClose={onClose}
        make={async (reason) => (await resumeAccount(api, id, { reason }), `${email} may call again.`)}
      >
        <p className="break-words">
          <strong>{email}</strong> ({id}) may call again with its keys.
        </p>
      </ChangeDialog>
      {change === "tier" && <TierChange account={account} onClose={onClose} />}
      {change === "adjust" && <Adjustment account={account} onClose={onClose} />}
    </>
  );
}

function TierChange({ account: { id, email, tier, assigned_tier }, onClose }: Omit<ChangesProps, "change">): ReactNode {
  const [chosen, setChosen] = useState(String(assigned_tier ?? "auto"));
  const { data } = useQuery(tiersQuery);
  const rows = data?.tiers ?? [];
  return (
    <ChangeDialog
      action="Set tier"
      open
      onClose={onClose}
      make={async (reason) => {
        const changed = await setAccountTier(api, id, { tier: chosen === "auto" ? null : Number(chosen), reason });
        return `${email} has tier ${changed.tier}.`;
      }}
    >
      <p className="break-words">
        <strong>{email}</strong> ({id}) has tier {tier}. Another tier changes its limits at once; its money stays as it is.
      </p>
      <Select
        label="Tier"
        value={chosen}
        choices={[
          { value: "auto", label: "By its deposits" },
          ...rows.map((row) => ({ value: String(row.tier), label: `${row.tier} ${row.name}, ${row.rpm} requests a minute` })),
        ]}
        onChange={(event) => setChosen(event.target.value)}
      />
    </ChangeDialog>
  );
}

function Adjustment({ account: { id, email, balance_usd }, onClose }: { account: OperatorAccountDetail; onClose: () => void }): ReactNode {
  const [amount, setAmount] = useState("");
  const [kind, setKind] = useState<"purchased" | "earned">("purchased");
  // One for the dialog: what is sent again after a lost answer or the password is posted once.
  const idempotencyKey = useMemo(newKey, []);
  return (
    <ChangeDialog
      action="Adjust credit"
      open
      onClose={onClose}
      make={async (reason) => {
        const posted = await adjustAccount(api, id, { amount_usd: Number(amount), kind, reason }, { idempotencyKey });
        return `${usd(posted.amount_usd)} is posted; ${email} has ${usd(posted.balance_usd)}.`;
      }}
    >
      <p className="break-words">
        One entry in the ledger of <strong>{email}</strong> ({id}), which has {usd(balance_usd)}. Its owner sees the amount and the reason.
      </p>
      <Field
        label="Amount (USD)"
        required
        inputMode="decimal"
        pattern="-?[0-9]{1,8}(\.[0-9]{1,8})?"
        title="An amount such as 5, -2.50 or 0.000114"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        hint="A negative amount takes money away. At most 8 decimals."
      />
      <Select
        label="Money"
        value={kind}
        choices={[
          { value: "purchased", label: "Purchased: it was paid in" },
          { value: "earned", label: "Earned: it is a gift" },
        ]}
        onChange={(event) => setKind(event.target.value === "earned" ? "earned" : "purchased")}
        hint="Only purchased money counts toward the tier."
      />
    </ChangeDialog>
  );
}
