// A secret that is shown once: marked as a whole when it is entered, and copied by a button.
import { type ReactNode, useId } from "react";
import { CopyButton } from "./copy.tsx";
import { controlClass } from "./field.tsx";

export function Secret({
  label,
  value,
  hint,
  autoFocus = false,
}: {
  label: string;
  value: string;
  hint: string;
  autoFocus?: boolean;
}): ReactNode {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          readOnly
          autoFocus={autoFocus}
          value={value}
          onFocus={(event) => event.target.select()}
          className={`${controlClass} font-mono text-xs!`}
          aria-describedby={`${id}-hint`}
        />
        <CopyButton text={value} />
      </div>
      <p id={`${id}-hint`} className="mt-2 text-xs text-quiet">
        {hint}
      </p>
    </div>
  );
}
