// The rows that the page shows, as the gateway writes them: CSV of all pages, with the fields' names once. The SDK reads summaries as JSON,
// so these are read without it.
import { getUsageSummary } from "svc-sdk/functions";
import type { UsageGroup } from "svc-sdk/types";
import { api, gatewayUrl, sessionHeaders } from "../../lib/api.ts";
import type { Range } from "../../lib/range.ts";
import { saveFile } from "../../lib/save-file.ts";
import { usageQueryOf } from "../../lib/usage.ts";

/** Of a thousand rows each. */
const mostPages = 100;

export async function exportCsv(range: Range, group: UsageGroup | null): Promise<void> {
  const asked = usageQueryOf(range, group);
  const { group_by, ...query } = asked;
  let search: string | null = String(
    new URLSearchParams({ ...query, ...(group_by === undefined ? {} : { group_by: group_by.join(",") }) }),
  );
  const parts: string[] = [];
  while (search !== null && parts.length < mostPages) {
    const reply: Response = await window.fetch(`${gatewayUrl}/v1/usage/summary?${search}`, {
      headers: { ...sessionHeaders(), accept: "text/csv" },
    });
    if (!reply.ok) {
      await getUsageSummary(api, { ...asked, limit: 1 }); // it throws what the catalogue says of the failure
      throw new Error("the rows could not be read.");
    }
    const text = await reply.text();
    parts.push(parts.length === 0 ? text : text.slice(text.indexOf("\n") + 1));
    search = nextSearch(reply.headers.get("link"));
  }
  const day = (at: Date) => at.toLocaleDateString("sv-SE"); // 2026-11-26
  const name = `usage-${day(range.from)}-${day(new Date(range.to.getTime() - 1))}.csv`;
  saveFile(name, new Blob(parts, { type: "text/csv" }));
}

/** The address may be the gateway's public one; the page asks its own origin. */
function nextSearch(link: string | null): string | null {
  const [, address] = /<([^>]+)>;\s*rel="next"/.exec(link ?? "") ?? [];
  return address === undefined ? null : new URL(address, gatewayUrl).search.slice(1);
}
