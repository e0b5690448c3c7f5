// Dialogs: in the middle of the page, or at its side for details.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { ErrorNote } from "./error-note.tsx";
import { Icon } from "./icons.tsx";

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  side?: boolean;
}

const backdrop = "fixed inset-0 z-40 bg-black/40";
const middle =
  "fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl";
const atSide = "fixed inset-y-0 right-0 z-40 w-[min(46rem,100vw)] overflow-y-auto";

export function Dialog({ title, open, onClose, children, side = false }: DialogProps): ReactNode {
  return (
    <Base.Root open={open} onOpenChange={(next) => void (!next && onClose())}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup className={`${side ? atSide : middle} border border-line bg-panel shadow-high`}>
          <div className="sticky top-0 z-10 flex items-center justify-between gap-4 border-b border-line bg-panel px-5 py-3">
            <Base.Title className="text-base font-semibold">{title}</Base.Title>
            <Base.Close aria-label="Close" className="inline-flex size-9 items-center justify-center rounded-lg text-quiet hover:bg-sunken">
              <Icon name="close" />
            </Base.Close>
          </div>
          <div className="p-5">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
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
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => void (!next && onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdrop} />
        <AlertDialog.Popup className={`${middle} space-y-4 border border-line bg-panel p-5 shadow-high`}>
          <AlertDialog.Title className="text-base font-semibold">{action}?</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="space-y-2 text-sm break-words">
            {children}
          </AlertDialog.Description>
          <ErrorNote error={error} />
          <DialogButtons action={action} kind="danger" busy={busy} onClose={onClose} onAct={onConfirm} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
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
