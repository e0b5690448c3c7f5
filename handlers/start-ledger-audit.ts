// POST /v1/operator/ledger/audit: audits the ledger in the background.
import type { Handler } from "../src/operation.ts";
import { startAudit } from "../src/operators/ledger.ts";
import { actorOf } from "../src/operators/requests.ts";

export const startLedgerAudit: Handler<"startLedgerAudit"> = async (context, request) => {
  return { status: 200, body: await startAudit(context, actorOf(request), request.body.reason.trim()) };
};
