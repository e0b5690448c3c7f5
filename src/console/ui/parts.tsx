// What pages are made of: the head, cards, empty and loading states, badges, lists of facts.
import { type ReactNode, useEffect, useId } from "react";
import { titleOf } from "../lib/service.ts";
import { ago, when } from "../lib/time.ts";

interface PageProps {
  title: string;
  /** What the page is for, in a sentence. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, about, actions, children }: PageProps): ReactNode {
  useEffect(() => void (document.title = titleOf(title)), [title]);
  return (
    <div className="mx-auto w-full max-w-6xl space-y-6 2xl:max-w-[96rem] min-[160rem]:max-w-[124rem]">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {about !== undefined && <p className="mt-1 max-w-2xl text-quiet">{about}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

interface CardProps {
  title: string;
  actions?: ReactNode;
  /** Without the inner space, for tables. */
  flush?: boolean;
  className?: string;
  children: ReactNode;
}

/** A region named by its title. */
export function Card({ title, actions, flush = false, className = "", children }: CardProps): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id} className={`min-w-0 rounded-xl border border-line bg-panel shadow-card ${className}`}>
      <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 px-5 pt-3.5">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {actions}
      </div>
      <div className={flush ? "pt-2" : "px-5 pt-2 pb-5"}>{children}</div>
    </section>
  );
}

export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }): ReactNode {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <p className="max-w-md text-quiet">{children}</p>}
      {action !== undefined && <div className="pt-2">{action}</div>}
    </div>
  );
}

export function Loading({ what = "Loading", lines = 3 }: { what?: string; lines?: number }): ReactNode {
  return (
    <div role="status" className="space-y-3 p-5">
      <span className="sr-only">{what}…</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} className="h-4 animate-pulse rounded bg-sunken" />
      ))}
    </div>
  );
}

const tones = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  quiet: "bg-sunken text-quiet",
  accent: "bg-accent-soft text-accent",
} as const;

export function Badge({ tone = "quiet", children }: { tone?: keyof typeof tones; children: ReactNode }): ReactNode {
  return (
    <span className={`inline-flex items-center rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${tones[tone]}`}>
      {children}
    </span>
  );
}

/** How long ago; the pointer shows when. */
export function Ago({ at }: { at: string }): ReactNode {
  return (
    <time dateTime={at} title={when(at)} className="whitespace-nowrap">
      {ago(at)}
    </time>
  );
}

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-2 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-quiet">{name}</dt>
          <dd className="figures break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
