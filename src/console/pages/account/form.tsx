// What the forms before a session share: heading, fields, one button, the error.
import { type FormEvent, type ReactNode, useEffect } from "react";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";

interface FormProps {
  title: string;
  about?: ReactNode;
  action: string;
  busy: boolean;
  disabled?: boolean;
  error: unknown;
  onSubmit: (fields: (name: string) => string) => void;
  children?: ReactNode;
  /** Another way to the same end, between the form and the links below it. */
  beside?: ReactNode;
  below?: ReactNode;
}

export function AccountForm({
  title,
  about,
  action,
  busy,
  disabled = false,
  error,
  onSubmit,
  children,
  beside,
  below,
}: FormProps): ReactNode {
  useTitle(title);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    onSubmit((name) => {
      const value = data.get(name);
      return typeof value === "string" ? value : "";
    });
  };
  return (
    <div className="space-y-6">
      <Heading title={title} about={about} />
      <form onSubmit={submit} className="space-y-4 rounded-xl border border-line bg-panel p-6 shadow-card">
        {children}
        <ErrorNote error={error} />
        <Button type="submit" kind="primary" busy={busy} disabled={disabled} className="w-full">
          {action}
        </Button>
      </form>
      {beside}
      {below !== undefined && <div className="flex flex-wrap justify-center gap-x-5 gap-y-2 text-sm">{below}</div>}
    </div>
  );
}

export function Heading({ title, about }: { title: string; about?: ReactNode }): ReactNode {
  return (
    <div className="text-center">
      <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
      {about !== undefined && <p className="mt-1.5 text-quiet">{about}</p>}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => void (document.title = `${title} · Console`), [title]);
}

export const linkClass = "text-accent underline underline-offset-2 hover:text-accent-strong";
