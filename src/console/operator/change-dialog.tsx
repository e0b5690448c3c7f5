// What an operator changes: what follows is said, a reason is asked for, and the password once more where the gateway asks for it.
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { change } from "../lib/api.ts";
import { queries } from "../lib/queries.ts";
import { ConfirmIdentity, needsConfirmation } from "../shell/confirm-identity.tsx";
import { announce } from "../ui/announce.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Field } from "../ui/field.tsx";

interface ChangeDialogProps {
  /** What it does, as the button says it. */
  action: string;
  open: boolean;
  onClose: () => void;
  /** Makes the change; the answer is what is announced. */
  make: (reason: string) => Promise<string>;
  /** What follows, and further fields. */
  children: ReactNode;
}

export function ChangeDialog({ open, action, onClose, ...form }: ChangeDialogProps): ReactNode {
  return (
    <Dialog title={action} open={open} onClose={onClose}>
      {open && <ChangeForm action={action} onClose={onClose} {...form} />}
    </Dialog>
  );
}

function ChangeForm({ action, onClose, make, children }: Omit<ChangeDialogProps, "open">): ReactNode {
  const [reason, setReason] = useState("");
  const changing = useMutation({
    mutationFn: () => change(() => make(reason.trim())),
    onSuccess: (done) => {
      announce(done);
      onClose();
      return queries.invalidateQueries({ queryKey: ["operator"] });
    },
  });
  if (needsConfirmation(changing.error)) return <ConfirmIdentity onClose={onClose} onDone={() => changing.mutate()} />;
  const submit = (event: FormEvent) => (event.preventDefault(), changing.mutate());
  return (
    <form className="space-y-4" onSubmit={submit}>
      {children}
      <Field
        label="Reason"
        required
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
        hint="In one line, for the audit log."
      />
      <ErrorNote error={changing.error} />
      <DialogButtons action={action} busy={changing.isPending} onClose={onClose} />
    </form>
  );
}
