// What may be filtered, and how the address says it.
import { useQuery } from "@tanstack/react-query";
import type { ListUsageLogsQuery } from "svc-sdk/types";
import type { ReactNode } from "react";
import { keysQuery } from "../../lib/queries.ts";
import { useMay } from "../../lib/rights.ts";
import { type RangeSearch, timesOf } from "../../lib/range.ts";
import { DateRange } from "../../ui/date-range.tsx";
import { SearchBox, Select } from "../../ui/field.tsx";

export type LogSearch = Partial<Record<"q" | "status" | "type" | "key" | "range" | "from" | "to" | "request", string>>;

const types = ["language", "image", "video", "embedding", "reranking", "transcription", "speech", "decisions"] as const;

/** The gateway filters; an unknown word in the address counts as none. */
export function queryOf({ status, type, key, range, from, to }: LogSearch): ListUsageLogsQuery {
  const known = types.find((one) => one === type);
  return {
    ...(status === "success" || status === "failed" ? { status } : {}),
    ...(known === undefined ? {} : { type: known }),
    ...(key === undefined ? {} : { key }),
    ...timesOf({ range, from, to } as RangeSearch),
  };
}

export function Filters({ search, set }: { search: LogSearch; set: (changed: LogSearch) => void }): ReactNode {
  const { data: keys = [] } = useQuery({ ...keysQuery, enabled: useMay("readKeys") === true });
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
      <DateRange search={search} empty="Any time" set={set} />
    </div>
  );
}
