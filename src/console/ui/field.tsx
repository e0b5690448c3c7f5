// Fields of forms: a label, the control, a hint.
import { type InputHTMLAttributes, type ReactNode, type Ref, type SelectHTMLAttributes, type TextareaHTMLAttributes, useId } from "react";

export const controlClass =
  "block w-full min-h-9 rounded-lg border border-edge bg-panel px-3 py-1.5 text-sm text-text placeholder:text-quiet disabled:opacity-60";

interface Labelled {
  label: string;
  hint?: ReactNode;
}

export function Field({ label, hint, className = "", ...rest }: Labelled & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <input {...rest} id={id} aria-describedby={hint === undefined ? undefined : `${id}-hint`} className={controlClass} />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1.5 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

type TextAreaProps = Labelled & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement>; mono?: boolean };

export function TextArea({ label, hint, className = "", mono = false, ...rest }: TextAreaProps): ReactNode {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <textarea
        {...rest}
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={`${controlClass} ${mono ? "font-mono text-xs" : ""}`}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1.5 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

interface Choice {
  value: string;
  label: string;
}

type SelectProps = Labelled & { choices: readonly Choice[]; inline?: boolean } & SelectHTMLAttributes<HTMLSelectElement>;

export function Select({ label, hint, choices, inline = false, className = "", ...rest }: SelectProps): ReactNode {
  const id = useId();
  return (
    <div className={`${inline ? "flex items-center gap-2" : ""} ${className}`}>
      <label htmlFor={id} className={inline ? "text-xs whitespace-nowrap text-quiet" : "mb-1.5 block text-sm font-medium"}>
        {label}
      </label>
      <select {...rest} id={id} className={controlClass}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {hint !== undefined && <p className="mt-1.5 text-xs text-quiet">{hint}</p>}
    </div>
  );
}

export function SearchBox({ label = "Search", ...rest }: { label?: string } & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return <input type="search" aria-label={label} placeholder={label} {...rest} className={`${controlClass} sm:max-w-72`} />;
}

/** Of a field for an amount above 0 in US dollars. */
export const positiveUsd = {
  inputMode: "decimal",
  pattern: "[0-9]{1,8}(\\.[0-9]{1,8})?",
  title: "An amount such as 5 or 2.50",
} as const;

/** Of a filter by one of these words. */
export const choicesOf = (words: readonly string[]): { value: string; label: string }[] => [
  { value: "", label: "Any" },
  ...words.map((value) => ({ value, label: value.charAt(0).toUpperCase() + value.slice(1) })),
];
