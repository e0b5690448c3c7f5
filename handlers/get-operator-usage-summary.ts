// GET /v1/operator/usage/summary: all accounts' requests, summed up by time, account, provider, route and more.
import { parseAccountId } from "../src/ids.ts";
import { csvOf, showStaffFigures, showStaffRow } from "../src/ledger/summary/show-summary.ts";
import type { Handler } from "../src/operation.ts";
import { jsonLines, listFile, listFormOf } from "../src/text/export.ts";
import { nextAddress, summaryOf } from "./get-usage-summary.ts";

export const getOperatorUsageSummary: Handler<"getOperatorUsageSummary"> = async (context, { query, headers }) => {
  const { account, provider, route } = query;
  const accountId = (account === undefined ? undefined : parseAccountId(account)) ?? null;
  const summary = await summaryOf(context, query, { accountId, groups: query.group_by, provider, route });
  const { groups, page } = summary;
  const data = summary.rows.map((row) => showStaffRow(row, groups));
  const form = listFormOf(headers.accept);
  if (form !== "json") {
    const next = nextAddress(context, "/v1/operator/usage/summary", query, summary);
    return listFile(
      form,
      form === "csv" ? csvOf(data, groups, ["provider_cost_usd", "margin_usd", "revenue_without_cost_usd"]) : jsonLines(data),
      next,
    );
  }
  return {
    status: 200,
    headers: { vary: "Accept" },
    body: {
      ...{ object: "operator.usage.summary", ...summary.question, group_by: groups },
      ...{ data, total: showStaffFigures(summary.total), ...page },
    },
  };
};
