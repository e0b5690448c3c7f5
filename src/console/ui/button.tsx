// Buttons, and links that look like them.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactNode } from "react";

type Kind = "primary" | "plain" | "quiet" | "danger";

const base =
  "inline-flex items-center justify-center gap-2 rounded-lg font-medium whitespace-nowrap transition-colors disabled:opacity-55 min-h-9 px-3.5 text-sm";
const kinds: Record<Kind, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong",
  plain: "bg-panel text-text border border-line hover:bg-sunken shadow-card",
  quiet: "text-quiet hover:bg-sunken hover:text-text px-2.5",
  danger: "bg-bad-soft text-bad border border-bad/40 hover:bg-bad/15",
};

export const buttonClass = (kind: Kind = "plain") => `${base} ${kinds[kind]}`;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  /** While it works it can't be pressed again, and says so. */
  busy?: boolean;
}

export function Button({ kind = "plain", busy = false, className = "", children, type = "button", ...rest }: ButtonProps): ReactNode {
  return (
    <button
      {...rest}
      type={type}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
      className={`${buttonClass(kind)} ${className}`}
    >
      {busy && <span aria-hidden="true" className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent" />}
      {children}
    </button>
  );
}

export function ButtonLink({ kind = "plain", ...rest }: LinkProps & { kind?: Kind; children?: ReactNode }): ReactNode {
  return <Link {...rest} className={buttonClass(kind)} />;
}

/** Its name is its label: it shows an icon alone. */
export function IconButton({ label, className = "", ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { label: string }): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-9 items-center justify-center rounded-lg text-quiet hover:bg-sunken hover:text-text ${className}`}
    />
  );
}
