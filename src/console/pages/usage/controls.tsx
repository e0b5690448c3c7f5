// What is shown and of when, as the address says it, and the same rows as a file.
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { getUsageSummary } from "svc-sdk/functions";
import type { UsageGroup } from "svc-sdk/types";
import { api } from "../../lib/api.ts";
import { type Range, rangeOf } from "../../lib/range.ts";
import { savePages } from "../../lib/save.ts";
import { usageQueryOf } from "../../lib/usage.ts";
import { Button } from "../../ui/button.tsx";
import { CutNote } from "../../ui/cut-note.tsx";
import { DateRange } from "../../ui/date-range.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Select } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Toggle } from "../../ui/toggle.tsx";
import { groupChoices, groupOf, metricChoices, type UsageSearch } from "./choices.ts";

interface ControlsProps {
  search: UsageSearch;
  set: (changed: UsageSearch) => void;
  /** The metric can't be grouped. */
  byTime: boolean;
  group: UsageGroup | null;
}

export function Controls({ search, set, byTime, group }: ControlsProps): ReactNode {
  const save = useMutation({ mutationFn: () => exportCsv(rangeOf(search, "30d"), group) });
  return (
    <>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Metric"
          inline
          value={metricChoices.some(({ value }) => value === search.metric) ? search.metric : "cost"}
          choices={metricChoices}
          onChange={(event) => set({ metric: event.target.value })}
        />
        <Select
          label="Group by"
          inline
          disabled={byTime}
          title={byTime ? "Durations of groups can't be added up" : undefined}
          value={byTime ? "" : (groupOf(search) ?? "")}
          choices={groupChoices}
          onChange={(event) => set({ group: event.target.value })}
        />
        <DateRange search={search} empty="Last 30 days" set={set} />
        <Toggle label="Compare" on={search.compare !== undefined} set={(on) => set({ compare: on ? "1" : "" })} />
        <Toggle label="Live" on={search.live !== undefined} set={(on) => set({ live: on ? "1" : "" })} />
        <Button className="sm:ml-auto" busy={save.isPending} onClick={() => save.mutate()}>
          <Icon name="download" /> Export CSV
        </Button>
      </div>
      <ErrorNote error={save.error} />
      <CutNote cut={save.data} kept="earliest" path="/v1/usage/summary" />
    </>
  );
}

async function exportCsv(range: Range, group: UsageGroup | null): Promise<boolean> {
  const asked = usageQueryOf(range, group);
  const { group_by, ...query } = asked;
  const day = (at: Date) => at.toLocaleDateString("sv-SE"); // 2026-11-26
  return savePages({
    path: "/v1/usage/summary",
    query: { ...query, ...(group_by === undefined ? {} : { group_by: group_by.join(",") }) },
    name: `usage-${day(range.from)}-${day(new Date(range.to.getTime() - 1))}.csv`,
    again: () => getUsageSummary(api, { ...asked, limit: 1 }),
  });
}
