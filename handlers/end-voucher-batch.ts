// POST /v1/operator/voucher-batches/{batch}/end: ends the vouchers of a batch that were not redeemed.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/operators/requests.ts";
import { batchRecord, endVouchersOf } from "../src/operators/vouchers.ts";

export const endVoucherBatch: Handler<"endVoucherBatch"> = async (context, request) => {
  const asked = { batch: request.path.batch, reason: request.body.reason.trim() };
  return { status: 200, body: batchRecord(await endVouchersOf(context, actorOf(request), asked)) };
};
