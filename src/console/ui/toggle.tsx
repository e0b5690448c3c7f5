// A switch: on or off, at once.
import { Switch } from "@base-ui/react/switch";
import { type ReactNode, useId } from "react";

interface ToggleProps {
  label: string;
  on: boolean;
  set: (on: boolean) => void;
  disabled?: boolean;
}

export function Toggle({ label, on, set, disabled = false }: ToggleProps): ReactNode {
  const id = useId();
  return (
    <span className="flex min-h-9 items-center gap-2 text-sm">
      <Switch.Root
        aria-labelledby={id}
        checked={on}
        disabled={disabled}
        onCheckedChange={set}
        className="flex h-5 w-9 items-center rounded-full border border-edge bg-sunken p-0.5 data-checked:border-accent data-checked:bg-accent"
      >
        <Switch.Thumb className="size-3.5 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </Switch.Root>
      <span id={id}>{label}</span>
    </span>
  );
}
