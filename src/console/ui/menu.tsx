// A menu behind a button. Until it is opened it is the button alone, so that a page with many draws none of them.
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { usePopups } from "./later.ts";
import type { ItemProps, MenuProps } from "./popups.tsx";

const triggerClass = "inline-flex min-h-9 items-center gap-2 rounded-lg px-2 text-sm text-quiet hover:bg-sunken hover:text-text";

export function Menu(props: MenuProps): ReactNode {
  const { label, trigger } = props;
  const className = `${triggerClass} ${props.className ?? ""}`;
  const [opened, setOpened] = useState(false);
  const popups = usePopups(opened);
  if (opened && popups !== undefined) return <popups.OpenMenu {...props} className={className} />;
  const open = () => setOpened(true);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open();
  };
  return (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={open}
      onKeyDown={onKeyDown}
      className={className}
    >
      {trigger}
    </button>
  );
}

/** In an open menu alone. */
export function MenuItem(props: ItemProps): ReactNode {
  const popups = usePopups(true);
  return popups && <popups.OpenMenuItem {...props} />;
}
