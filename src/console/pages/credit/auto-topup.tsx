// Automatic top-ups: whether they are on, the saved card, and the form that turns them on with the consent.
import { useMutation, useQuery } from "@tanstack/react-query";
import { getAutoTopup, removeCard, startCardSetup, updateAutoTopup } from "svc-sdk/functions";
import type { AutoTopup as Settings, AutoTopupChange } from "svc-sdk/types";
import { type FormEvent, type ReactNode, useState } from "react";
import { api, change } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { consolePath } from "../../lib/place.ts";
import { queries } from "../../lib/queries.ts";
import { useMay } from "../../lib/rights.ts";
import { when } from "../../lib/time.ts";
import { announce } from "../../ui/announce.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { Badge, Card, Facts, Loading } from "../../ui/parts.tsx";
import { Toggle } from "../../ui/toggle.tsx";

const queryKey = ["auto-topup"];

interface Props {
  /** Whether the form is open: it stands in the address. */
  open: boolean;
  setOpen: (open: boolean) => void;
}

export function AutoTopup({ open, setOpen }: Props): ReactNode {
  const mayPay = useMay("pay") === true;
  const { data, error, refetch } = useQuery({ queryKey, queryFn: () => getAutoTopup(api), enabled: mayPay });
  const [removing, setRemoving] = useState(false);
  const off = useSave("Automatic top-ups are off.");
  const setUp = useMutation({
    mutationFn: () => {
      // The provider leads back to pages over HTTPS alone; elsewhere to the gateway's own.
      const back = location.protocol === "https:" ? { return_url: `${location.origin}${consolePath}/credit` } : {};
      return change(() => startCardSetup(api, back));
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  const remove = useMutation({
    mutationFn: () => change(() => removeCard(api)),
    onSuccess: (now) => {
      announce("The card is removed.");
      setRemoving(false);
      queries.setQueryData(queryKey, now);
    },
  });
  // Where nothing can be charged, and nothing was ever saved, there is nothing to say.
  if (!mayPay || (data !== undefined && !data.available && data.card === null)) return null;
  return (
    <Card
      title="Automatic top-ups"
      actions={data !== undefined && <Badge tone={data.enabled ? "good" : "quiet"}>{data.enabled ? "On" : "Off"}</Badge>}
    >
      <div className="space-y-4">
        <ErrorNote error={error ?? setUp.error ?? off.error} retry={error === null ? undefined : () => void refetch()} />
        {data === undefined && error === null && <Loading what="Loading automatic top-ups" />}
        {data !== undefined && (
          <>
            <Now settings={data} />
            <Toggle
              label="Auto top-up"
              on={data.enabled}
              set={(on) => (on ? setOpen(true) : off.mutate({ enabled: false }))}
              disabled={off.isPending || (!data.enabled && (data.card === null || !data.available))}
            />
            <div className="flex flex-wrap gap-2">
              {data.enabled && data.available && <Button onClick={() => setOpen(true)}>Change automatic top-ups</Button>}
              {data.available && (
                <Button busy={setUp.isPending} onClick={() => setUp.mutate()}>
                  {data.card === null ? "Save a card" : "Replace card"}
                </Button>
              )}
              {data.card !== null && <Button onClick={() => setRemoving(true)}>Remove card</Button>}
            </div>
            <Dialog title="Automatic top-ups" open={open && data.card !== null && data.available} onClose={() => setOpen(false)}>
              <ChoiceForm settings={data} onClose={() => setOpen(false)} />
            </Dialog>
            <Confirm
              action="Remove card"
              open={removing}
              busy={remove.isPending}
              error={remove.error}
              onClose={() => setRemoving(false)}
              onConfirm={() => remove.mutate()}
            >
              <p>The card {cardText(data)} is removed here and at the payment provider. Automatic top-ups are turned off.</p>
            </Confirm>
          </>
        )}
      </div>
    </Card>
  );
}

function useSave(said: string, done?: () => void) {
  return useMutation({
    mutationFn: (changed: AutoTopupChange) => change(() => updateAutoTopup(api, changed)),
    onSuccess: (now) => {
      announce(said);
      queries.setQueryData(queryKey, now);
      done?.();
    },
  });
}

function cardText({ card }: Settings): string {
  if (card === null) return "none";
  return `${card.brand} ending in ${card.last4}, valid until ${String(card.exp_month).padStart(2, "0")}/${card.exp_year}`;
}

const failures = {
  declined: "The card was declined.",
  authentication_required:
    "The card needs your confirmation: save it again to confirm it with the bank, or its billing address; or add credit by hand.",
} as const satisfies Record<NonNullable<Settings["last_failure"]>, string>;

function Now({ settings }: { settings: Settings }): ReactNode {
  const { enabled, threshold_usd, amount_usd, monthly_cap_usd, month_used_usd, last_failure, retry_at } = settings;
  return (
    <>
      <p className="text-quiet">
        {enabled
          ? `Below ${usd(threshold_usd)} the card is charged ${usd(amount_usd)}, and at most ${usd(monthly_cap_usd)} in a calendar month.`
          : "A saved card is charged when the balance is low, so that calls keep working."}
      </p>
      <Facts
        rows={[
          ["Card", cardText(settings)],
          ["Charged this month", usd(month_used_usd)],
        ]}
      />
      {last_failure !== null && (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {failures[last_failure]}{" "}
          {enabled && retry_at !== null ? `The next attempt is after ${when(retry_at)}.` : !enabled && "Automatic top-ups are off."}
        </p>
      )}
    </>
  );
}

function ChoiceForm({ settings, onClose }: { settings: Settings; onClose: () => void }): ReactNode {
  const save = useSave("Automatic top-ups are on.", onClose);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const amounts = {
      threshold_usd: Number(form.get("threshold")),
      amount_usd: Number(form.get("amount")),
      monthly_cap_usd: Number(form.get("cap")),
    };
    save.mutate({ enabled: true, ...amounts, consent_version: settings.terms.version });
  };
  const amount = { type: "number", step: "0.01", required: true, inputMode: "decimal" } as const;
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field
        {...amount}
        label="When the balance is below (USD)"
        name="threshold"
        min="0"
        max="10000"
        defaultValue={settings.threshold_usd}
      />
      <Field {...amount} label="Add (USD)" name="amount" min="5" max="10000" defaultValue={settings.amount_usd} />
      <Field
        {...amount}
        label="Monthly maximum (USD)"
        name="cap"
        min="5"
        max="100000"
        defaultValue={settings.monthly_cap_usd}
        hint="In a calendar month (UTC). At least one top-up."
      />
      <p className="text-sm text-quiet">The card that is charged: {cardText(settings)}.</p>
      <label className="flex items-start gap-2 text-sm">
        <input type="checkbox" name="consent" required className="mt-1" />
        <span>{settings.terms.text}</span>
      </label>
      <ErrorNote error={save.error} />
      <DialogButtons action="Turn on" busy={save.isPending} onClose={onClose} />
    </form>
  );
}
