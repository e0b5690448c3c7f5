// Making vouchers: what each is worth and until when first, then their codes, once.
import type { MadeVouchers, NewVouchers } from "svc-sdk";
import { createVouchers } from "svc-sdk/operator";
import { type ReactNode, useMemo, useState } from "react";
import { voucherBounds } from "../../../../generated/facts.ts";
import { api, newKey } from "../../lib/api.ts";
import { usd } from "../../lib/money.ts";
import { saveFile } from "../../lib/save.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, positiveUsd, TextArea } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Toggle } from "../../ui/toggle.tsx";
import { ChangeDialog } from "../change-dialog.tsx";

interface MakeVouchersProps {
  /** Also where the form was closed before the answer came. */
  onMade: (made: MadeVouchers) => void;
  onClose: () => void;
}

export function MakeVouchers({ onMade, onClose }: MakeVouchersProps): ReactNode {
  const [amount, setAmount] = useState("");
  const [count, setCount] = useState("1");
  const [until, setUntil] = useState("");
  const [days, setDays] = useState("");
  const [once, setOnce] = useState(false);
  // A second press, or a repeat after a lost answer, makes no more.
  const idempotencyKey = useMemo(newKey, []);
  const asked: Omit<NewVouchers, "reason"> = {
    ...{ amount_usd: Number(amount), count: Number(count), once_per_account: once },
    ...(until === "" ? {} : { expires_at: endOf(until) }),
    ...(days === "" ? {} : { credit_days: Number(days) }),
  };
  const make = async (reason: string) => {
    const made = await createVouchers(api, { ...asked, reason }, { idempotencyKey });
    onMade(made);
    return `Batch ${made.batch} has ${made.count} ${made.count === 1 ? "voucher" : "vouchers"}.`;
  };
  return (
    <ChangeDialog action="Make vouchers" open onClose={onClose} make={make}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Credit of each (USD)" required {...positiveUsd} value={amount} onChange={(event) => setAmount(event.target.value)} />
        <Field
          label="How many"
          required
          type="number"
          min={voucherBounds.count[0]}
          max={voucherBounds.count[1]}
          value={count}
          onChange={(event) => setCount(event.target.value)}
        />
        <Field
          label="Redeemable until"
          type="date"
          value={until}
          onChange={(event) => setUntil(event.target.value)}
          hint="The end of that day. Empty: forever."
        />
        <Field
          label="Days of credit"
          type="number"
          min={voucherBounds.credit_days[0]}
          max={voucherBounds.credit_days[1]}
          value={days}
          onChange={(event) => setDays(event.target.value)}
          hint="From the day it is redeemed. Empty: forever."
        />
      </div>
      <Toggle label="A workspace may redeem only one of them" on={once} set={setOnce} />
    </ChangeDialog>
  );
}

/** Of the reader's day. */
function endOf(date: string): string {
  return new Date(`${date}T23:59:59`).toISOString();
}

export function NewCodes({ made, onClose }: { made: MadeVouchers | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="New vouchers" open={made !== null} onClose={onClose}>
      {made !== null && <Codes made={made} onClose={onClose} />}
    </Dialog>
  );
}

function Codes({ made: { batch, amount_usd, vouchers }, onClose }: { made: MadeVouchers; onClose: () => void }): ReactNode {
  const text = vouchers.map(({ code }) => code).join("\n");
  const save = () => saveFile(`vouchers-batch-${batch}.txt`, new Blob([`${text}\n`], { type: "text/plain" }));
  return (
    <div className="space-y-5">
      <TextArea
        label={`Codes of batch ${batch}, ${usd(amount_usd)} each`}
        readOnly
        mono
        autoFocus
        rows={Math.min(12, vouchers.length + 1)}
        value={text}
        onFocus={(event) => event.target.select()}
        hint="They are shown here and never again: give them out, or store them where you keep secrets."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <CopyButton text={text} label="Copy all" />
        <Button onClick={save}>
          <Icon name="download" />
          Save as a file
        </Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  );
}
