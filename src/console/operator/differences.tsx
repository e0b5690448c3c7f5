// What changed, field by field: before beside after, with what stayed the same below.
import type { ReactNode } from "react";
import { none } from "../lib/money.ts";
import { Badge } from "../ui/parts.tsx";
import { type Column, Table } from "../ui/table.tsx";

type Values = Record<string, unknown> | null;
type Kind = "changed" | "added" | "removed" | "same";

export interface Difference {
  field: string;
  /** Absent on that side: undefined. */
  before: string | undefined;
  after: string | undefined;
  kind: Kind;
}

const order: readonly Kind[] = ["changed", "added", "removed", "same"];

export function differencesOf(before: Values, after: Values): Difference[] {
  const [old, since] = [flatten(before), flatten(after)];
  const fields = [...new Set([...old.keys(), ...since.keys()])];
  const found = fields.map((field): Difference => {
    const [was, is] = [old.get(field), since.get(field)];
    const kind = was === is ? "same" : was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return { field, before: was, after: is, kind };
  });
  return found.sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
}

const deepest = 4;

/** Objects within objects become fields with dots; a list stays one value. */
function flatten(values: Values, path = "", depth = 0): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [name, value] of Object.entries(values ?? {})) {
    if (isRecord(value) && depth < deepest && Object.keys(value).length > 0)
      for (const [field, text] of flatten(value, `${path}${name}.`, depth + 1)) flat.set(field, text);
    else flat.set(`${path}${name}`, typeof value === "string" ? value : JSON.stringify(value));
  }
  return flat;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

export function Differences({ before, after }: { before: Values; after: Values }): ReactNode {
  const rows = differencesOf(before, after);
  if (rows.length === 0) return <p className="text-quiet">No values are named.</p>;
  return <Table name="What changed" rows={rows} idOf={({ field }) => field} columns={differenceColumns} />;
}

const tones = { changed: "accent", added: "good", removed: "bad", same: "quiet" } as const;
const labels = { changed: "Changed", added: "Added", removed: "Removed", same: "Unchanged" } as const;

export const differenceColumns: readonly Column<Difference>[] = [
  { name: "Field", cell: ({ field }) => <span className="font-mono text-xs break-all">{field}</span> },
  { name: "Change", cell: ({ kind }) => <Badge tone={tones[kind]}>{labels[kind]}</Badge> },
  { name: "Before", cell: ({ before, kind }) => <Value text={before} tone={kind === "same" ? "" : "text-bad"} /> },
  { name: "After", cell: ({ after, kind }) => <Value text={after} tone={kind === "same" ? "" : "text-good"} /> },
];

function Value({ text, tone }: { text: string | undefined; tone: string }): ReactNode {
  if (text === undefined) return <span className="text-quiet">{none}</span>;
  return <span className={`block min-w-24 font-mono text-xs break-all whitespace-pre-wrap ${tone}`}>{text === "" ? "(empty)" : text}</span>;
}
