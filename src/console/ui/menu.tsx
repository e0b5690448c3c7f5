// A menu behind a button.
import { Menu as Base } from "@base-ui/react/menu";
import type { ReactNode } from "react";

interface MenuProps {
  /** The name of the button, where it shows an icon alone. */
  label?: string;
  trigger: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Menu({ label, trigger, className = "", children }: MenuProps): ReactNode {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        aria-label={label}
        className={`inline-flex min-h-9 items-center gap-2 rounded-lg px-2 text-sm text-quiet hover:bg-sunken hover:text-text ${className}`}
      >
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="end" className="z-50">
          <Base.Popup className="min-w-44 rounded-lg border border-line bg-panel p-1 text-sm shadow-high">{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface ItemProps {
  onSelect: () => void;
  danger?: boolean;
  children: ReactNode;
}

export function MenuItem({ onSelect, danger = false, children }: ItemProps): ReactNode {
  return (
    <Base.Item
      onClick={onSelect}
      className={`flex items-center gap-2 rounded-md px-3 py-2 outline-none data-highlighted:bg-sunken ${danger ? "text-bad" : ""}`}
    >
      {children}
    </Base.Item>
  );
}
