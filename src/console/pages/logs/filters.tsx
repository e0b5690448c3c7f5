// What may be filtered, and how the address says it.
import { useQuery } from "@tanstack/react-query";
import type { ListUsageLogsQuery } from "svc-sdk/types";
import type { ReactNode } from "react";
import { keysQuery } from "../../lib/queries.ts";
import { SearchBox, Select } from "../../ui/field.tsx";

export type LogSearch = Partial<Record<"q" | "status" | "type" | "key" | "from" | "to" | "request", string>>;

const types = ["language", "image", "video", "embedding", "reranking", "transcription", "speech", "decisions"] as const;

/** The gateway filters; an unknown word in the address counts as none. */
export function queryOf({ status, type, key, from, to }: LogSearch): ListUsageLogsQuery {
  const start = dayStart(from, 0);
  const end = dayStart(to, 1);
  const known = types.find((one) => one === type);
  return {
    ...(status === "success" || status === "failed" ? { status } : {}),
    ...(known === undefined ? {} : { type: known }),
    ...(key === undefined ? {} : { key }),
    ...(start === null ? {} : { from: start }),
    ...(end === null ? {} : { to: end }),
  };
}

/** Midnight of the reader's zone, some days later. */
function dayStart(text: string | undefined, later: number): string | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? "") ?? [];
  if (year === undefined) return null;
  const date = new Date(Number(year), Number(month) - 1, Number(day) + later);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

export function Filters({ search, set }: { search: LogSearch; set: (changed: LogSearch) => void }): ReactNode {
  const { data: keys = [] } = useQuery(keysQuery);
  const any = { value: "", label: "Any" };
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SearchBox value={search.q ?? ""} onChange={(event) => set({ q: event.target.value })} placeholder="Request id, model, key, error" />
      <Select
        label="Status"
        inline
        value={search.status ?? ""}
        onChange={(event) => set({ status: event.target.value })}
        choices={[any, { value: "success", label: "Success" }, { value: "failed", label: "Failed" }]}
      />
      <Select
        label="Type"
        inline
        value={search.type ?? ""}
        onChange={(event) => set({ type: event.target.value })}
        choices={[any, ...types.map((value) => ({ value, label: value }))]}
      />
      <Select
        label="Key"
        inline
        className="max-w-56"
        value={search.key ?? ""}
        onChange={(event) => set({ key: event.target.value })}
        choices={[any, ...keys.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      <DateInput label="From" value={search.from} onChange={(from) => set({ from })} />
      <DateInput label="To" value={search.to} onChange={(to) => set({ to })} />
    </div>
  );
}

function DateInput({ label, value, onChange }: { label: string; value: string | undefined; onChange: (value: string) => void }): ReactNode {
  return (
    <label className="flex items-center gap-2 text-xs text-quiet">
      {label}
      <input
        type="date"
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-9 rounded-lg border border-edge bg-panel px-2 text-sm text-text"
      />
    </label>
  );
}
