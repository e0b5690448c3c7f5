// The rows that the page shows, as a file.
import { getUsageSummary } from "svc-sdk/functions";
import type { UsageGroup } from "svc-sdk/types";
import { api } from "../../lib/api.ts";
import type { Range } from "../../lib/range.ts";
import { savePages } from "../../lib/save-pages.ts";
import { usageQueryOf } from "../../lib/usage.ts";

export async function exportCsv(range: Range, group: UsageGroup | null): Promise<void> {
  const asked = usageQueryOf(range, group);
  const { group_by, ...query } = asked;
  const day = (at: Date) => at.toLocaleDateString("sv-SE"); // 2026-11-26
  await savePages({
    path: "/v1/usage/summary",
    query: { ...query, ...(group_by === undefined ? {} : { group_by: group_by.join(",") }) },
    name: `usage-${day(range.from)}-${day(new Date(range.to.getTime() - 1))}.csv`,
    again: () => getUsageSummary(api, { ...asked, limit: 1 }),
  });
}
