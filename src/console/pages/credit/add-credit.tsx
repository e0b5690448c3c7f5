// Adding credit: an amount, then the checkout of the payment provider, which leads back here.
import { useMutation } from "@tanstack/react-query";
import { createTopup } from "svc-sdk/functions";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { consolePath } from "../../lib/place.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { keepTopup } from "./kept-topup.ts";

const usual = ["10", "25", "50", "100"];

export function AddCredit({ open, onClose }: { open: boolean; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Add credit" open={open} onClose={onClose}>
      <AmountForm onClose={onClose} />
    </Dialog>
  );
}

function AmountForm({ onClose }: { onClose: () => void }): ReactNode {
  const [amount, setAmount] = useState("25");
  const add = useMutation({
    mutationFn: () => {
      const page = `${location.origin}${consolePath}/credit`;
      // A checkout leads back to pages over HTTPS alone; elsewhere to the gateway's own.
      const back = location.protocol === "https:" ? { return_url: page } : {};
      return change(() => createTopup(api, { amount_usd: Number(amount), ...back }));
    },
    onSuccess: ({ id, checkout_url }) => {
      keepTopup(id);
      if (checkout_url !== null) location.assign(checkout_url);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <div role="group" aria-label="Usual amounts" className="grid grid-cols-4 gap-2">
        {usual.map((value) => (
          <Button
            key={value}
            aria-pressed={amount === value}
            onClick={() => setAmount(value)}
            className={amount === value ? "border-accent! text-accent!" : ""}
          >
            ${value}
          </Button>
        ))}
      </div>
      <Field
        label="Amount (USD)"
        name="amount"
        type="number"
        min="5"
        max="10000"
        step="0.01"
        required
        inputMode="decimal"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
        hint="5 to 10,000. You pay on our payment provider's page, which shows any tax, and then return here."
      />
      <ErrorNote error={add.error} />
      <DialogButtons action="Continue to payment" busy={add.isPending} onClose={onClose} />
    </form>
  );
}
