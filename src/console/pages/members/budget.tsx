// What all keys of a member may spend together: what is set and what is spent, and the dialog that changes it.
import { useMutation } from "@tanstack/react-query";
import { type Member, updateMember } from "svc-sdk/functions";
import type { FormEvent, ReactNode } from "react";
import { api, change } from "../../lib/api.ts";
import { fieldText } from "../../lib/form.ts";
import { usd } from "../../lib/money.ts";
import { queries } from "../../lib/queries.ts";
import { announce } from "../../ui/announce.tsx";
import { Dialog, DialogButtons } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field, Select } from "../../ui/field.tsx";
import { resetChoices, resetNames, resetsOf } from "../keys/resets.ts";

export function Budget({ of }: { of: Member }): ReactNode {
  const { limit_usd, limit_resets, spent_usd, remaining_usd } = of;
  return (
    <div className="whitespace-nowrap tabular-nums">
      {limit_usd === null ? <p className="text-quiet">No limit</p> : <p>{`${usd(limit_usd)} ${resetNames[limit_resets].short}`}</p>}
      <p className="text-xs text-quiet">{`${usd(spent_usd)} spent${remaining_usd === null ? "" : `, ${usd(remaining_usd)} left`}`}</p>
    </div>
  );
}

export function EditBudget({ of, onClose }: { of: Member | null; onClose: () => void }): ReactNode {
  return (
    <Dialog title="Budget" open={of !== null} onClose={onClose}>
      {of !== null && <BudgetForm of={of} onClose={onClose} />}
    </Dialog>
  );
}

function BudgetForm({ of, onClose }: { of: Member; onClose: () => void }): ReactNode {
  const save = useMutation({
    mutationFn: (input: Pick<Member, "limit_usd" | "limit_resets">) => change(() => updateMember(api, of.id, input)),
    onSuccess: ({ email }) => (announce(`The budget of ${email} is changed.`), onClose()),
    onSettled: () => queries.invalidateQueries({ queryKey: ["members"] }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const limit = fieldText(data, "limit");
    save.mutate({ limit_usd: limit === "" ? null : Number(limit), limit_resets: resetsOf(fieldText(data, "resets")) });
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      <p className="break-words">
        All keys that <strong>{of.email}</strong> has created or will create in this workspace may spend this much together. Each key keeps
        its own limit as well.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Spending limit (USD)"
          name="limit"
          type="number"
          min="0"
          step="any"
          inputMode="decimal"
          placeholder="No limit"
          autoFocus
          defaultValue={of.limit_usd ?? ""}
        />
        <Select label="Resets" name="resets" choices={resetChoices} defaultValue={of.limit_resets} />
      </div>
      <ErrorNote error={save.error} />
      <DialogButtons action="Save" busy={save.isPending} onClose={onClose} />
    </form>
  );
}
