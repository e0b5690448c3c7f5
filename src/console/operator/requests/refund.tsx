// Giving the charge of a call or a media job back, whole or in part.
import { refundCall } from "svc-sdk/operator";
import { type ReactNode, useState } from "react";
import { api } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { Field, positiveUsd } from "../../ui/field.tsx";
import { ChangeDialog } from "../change-dialog.tsx";

interface Charged {
  /** Of the request, or of the job. */
  id: string;
  account_id: string;
  email: string;
  charged_usd: number;
}

export function Refund({ of, open, onClose }: { of: Charged; open: boolean; onClose: () => void }): ReactNode {
  const [amount, setAmount] = useState("");
  const { id, account_id: account, email, charged_usd } = of;
  return (
    <ChangeDialog
      action="Refund"
      open={open}
      onClose={onClose}
      make={async (reason) => {
        const part = amount.trim() === "" ? {} : { amount_usd: Number(amount) };
        const posted = await refundCall(api, id, { reason, account, ...part });
        return `${usd(posted.amount_usd)} was refunded to ${email}.`;
      }}
    >
      <p className="break-words">
        The charge of {usd(charged_usd)} goes back to <strong>{email}</strong> ({account}). This can be done once, and its owner sees the
        reason.
      </p>
      <Field
        label="Amount (USD)"
        {...positiveUsd}
        title="An amount such as 5 or 0.000114"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        placeholder={String(charged_usd)}
        hint="Empty: the whole charge."
      />
    </ChangeDialog>
  );
}
