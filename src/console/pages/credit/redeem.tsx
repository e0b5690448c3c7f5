// Redeeming a voucher.
import { useMutation } from "@tanstack/react-query";
import { redeemVoucher } from "svc-sdk/functions";
import type { FormEvent, ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { usd } from "../../lib/money.ts";
import { balanceQuery, queries } from "../../lib/queries.ts";
import { dayOf } from "../../lib/time.ts";
import { announce } from "../../ui/announce.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";

export function Redeem({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Redeem voucher" open={open} onClose={onClose}>
      <RedeemForm onClose={onClose} />
    </Dialog>
  );
}

function RedeemForm({ onClose }: { onClose: () => void }): ReactNode {
  const redeem = useMutation({
    mutationFn: (code: string) => change(() => redeemVoucher(api, { code })),
    onSuccess: ({ amount_usd, expires_at }) => {
      announce(`${usd(amount_usd)} is added${expires_at === null ? "" : `, to be used until ${dayOf(expires_at)}`}.`);
      onClose();
      void queries.invalidateQueries({ queryKey: ["ledger"] });
      return queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    redeem.mutate(fieldText(new FormData(event.currentTarget), "code"));
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label="Code" name="code" required maxLength={64} autoFocus autoComplete="off" spellCheck={false} />
      <ErrorNote error={redeem.error} />
      <DialogButtons action="Redeem" busy={redeem.isPending} onClose={onClose} />
    </form>
  );
}
