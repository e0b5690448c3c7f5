// What the forms before a session share: heading, fields, one button, the error.
import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useRef } from "react";
import { titleOf } from "../../lib/service.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";

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

export function EmailField(more: Partial<ComponentProps<typeof Field>>): ReactNode {
  return <Field label="Email" name="email" type="email" autoComplete="email" required maxLength={254} {...more} />;
}

interface HeadingProps {
  title: string;
  about?: ReactNode;
  /** Where it takes the place of a form: what had the focus is gone, and a reader of the page hears what came. */
  focused?: boolean;
}

export function Heading({ title, about, focused = false }: HeadingProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => void (focused && heading.current?.focus()), [focused]);
  return (
    <div className="text-center">
      <h1 ref={heading} tabIndex={focused ? -1 : undefined} className="text-2xl font-semibold tracking-tight outline-none">
        {title}
      </h1>
      {about !== undefined && <p className="mt-1.5 text-quiet">{about}</p>}
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => void (document.title = titleOf(title)), [title]);
}

export const linkClass = "text-accent underline underline-offset-2 hover:text-accent-strong";
