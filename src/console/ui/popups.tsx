// Dialogs and menus once they are open: what places them, keeps the focus and closes them. Loaded when the first page has been drawn, or
// when one is opened before that (later.ts).
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { Menu as BaseMenu } from "@base-ui/react/menu";
import { type ReactNode, useRef } from "react";
import { Icon } from "./icons.tsx";

export interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  side?: boolean;
}

interface ConfirmProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
  /** What is below the text. */
  end: ReactNode;
}

export interface MenuProps {
  /** The name of the button, where it shows an icon alone. */
  label?: string;
  trigger: ReactNode;
  className?: string;
  children: ReactNode;
}

export interface ItemProps {
  onSelect: () => void;
  danger?: boolean;
  children: ReactNode;
}

const backdrop = "fixed inset-0 z-40 bg-black/40";
const middle =
  "fixed top-1/2 left-1/2 z-40 max-h-[calc(100dvh-2rem)] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-xl";
const atSide = "fixed inset-y-0 right-0 z-40 w-[min(46rem,100vw)] overflow-y-auto";

export function OpenDialog({ title, open, onClose, children, side = false }: DialogProps): ReactNode {
  const content = useRef<HTMLDivElement>(null);
  // What is asked for first has the focus, not the cross above it.
  const first = () => content.current?.querySelector<HTMLElement>("input, textarea, select") ?? true;
  return (
    <Base.Root open={open} onOpenChange={(next) => void (!next && onClose())}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup initialFocus={side ? true : first} className={`${side ? atSide : middle} border border-line bg-panel shadow-high`}>
          <div className="sticky top-0 z-10 flex items-center justify-between gap-4 border-b border-line bg-panel px-5 py-3">
            <Base.Title className="text-base font-semibold">{title}</Base.Title>
            <Base.Close aria-label="Close" className="inline-flex size-9 items-center justify-center rounded-lg text-quiet hover:bg-sunken">
              <Icon name="close" />
            </Base.Close>
          </div>
          <div ref={content} className="p-5">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export function OpenConfirm({ title, open, onClose, children, end }: ConfirmProps): ReactNode {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => void (!next && onClose())}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdrop} />
        <AlertDialog.Popup className={`${middle} space-y-4 border border-line bg-panel p-5 shadow-high`}>
          <AlertDialog.Title className="text-base font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="space-y-2 text-sm break-words">
            {children}
          </AlertDialog.Description>
          {end}
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** Open from the start: the click that brought it here asked for that. */
export function OpenMenu({ label, trigger, className, children }: MenuProps): ReactNode {
  return (
    <BaseMenu.Root defaultOpen modal={false}>
      <BaseMenu.Trigger aria-label={label} className={className}>
        {trigger}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={6} align="end" className="z-50">
          <BaseMenu.Popup className="min-w-44 rounded-lg border border-line bg-panel p-1 text-sm shadow-high">{children}</BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export function OpenMenuItem({ onSelect, danger = false, children }: ItemProps): ReactNode {
  return (
    <BaseMenu.Item
      onClick={onSelect}
      className={`flex items-center gap-2 rounded-md px-3 py-2 outline-none data-highlighted:bg-sunken ${danger ? "text-bad" : ""}`}
    >
      {children}
    </BaseMenu.Item>
  );
}
