// GET /v1/operator/audit: what operators and the command line changed, newest first, as JSON or as a file.
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { actionRecord, actionsCsv, readActions } from "../src/operators/action-log.ts";
import { readTime } from "../src/operators/requests.ts";
import { jsonLines, listFile, listFormOf, pageAddress } from "../src/text/export.ts";

export const listOperatorActions: Handler<"listOperatorActions"> = async ({ db, publicUrl }, { query, headers }) => {
  const { after, who, action, target, limit = 50 } = query;
  const before = after === undefined ? undefined : BigInt(after.slice("act_".length));
  const filter = { before, who, action, target, from: readTime("from", query.from), to: readTime("to", query.to) };
  const { rows, hasMore } = await pageOf(limit, (most) => readActions(db, filter, most));
  const data = rows.map(actionRecord);
  const lastId = data.at(-1)?.id ?? null;
  const form = listFormOf(headers.accept);
  if (form === "json")
    return { status: 200, headers: { vary: "Accept" }, body: { object: "list", data, has_more: hasMore, last_id: lastId } };
  const next = hasMore ? pageAddress(publicUrl, "/v1/operator/audit", { ...query, after: lastId }) : null;
  return listFile(form, form === "csv" ? actionsCsv(data) : jsonLines(data), next);
};
