// Dialogs: in the middle of the page, or at its side for details.
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";
import { usePopups } from "./later.ts";
import type { DialogProps } from "./popups.tsx";

export function Dialog(props: DialogProps): ReactNode {
  const popups = usePopups(props.open);
  return popups && <popups.OpenDialog {...props} />;
}

interface ConfirmProps {
  /** What it does, as the button says it: "Delete key". */
  action: string;
  open: boolean;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
  /** Names what is destroyed, and what follows. */
  children: ReactNode;
}

export function Confirm({ action, open, busy, error, onClose, onConfirm, children }: ConfirmProps): ReactNode {
  const popups = usePopups(open);
  if (popups === undefined) return null;
  const end = (
    <>
      <ErrorNote error={error} />
      <DialogButtons action={action} kind="danger" busy={busy} onClose={onClose} onAct={onConfirm} />
    </>
  );
  return (
    <popups.OpenConfirm title={`${action}?`} open={open} onClose={onClose} end={end}>
      {children}
    </popups.OpenConfirm>
  );
}

interface DialogButtonsProps {
  /** What the dialog does, as its button says it. */
  action: string;
  kind?: "primary" | "danger";
  busy: boolean;
  onClose: () => void;
  /** Absent: the button submits the form that it stands in. */
  onAct?: () => void;
}

/** The end of a dialog that changes something. */
export function DialogButtons({ action, kind = "primary", busy, onClose, onAct }: DialogButtonsProps): ReactNode {
  return (
    <div className="flex justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <Button type={onAct === undefined ? "submit" : "button"} kind={kind} busy={busy} onClick={onAct}>
        {action}
      </Button>
    </div>
  );
}
