// POST /v1/operator/vouchers/{id}/end: ends a voucher that was not redeemed.
import type { Handler } from "../src/operation.ts";
import { actorOf } from "../src/operators/requests.ts";
import { endVoucher as end, voucherRecord } from "../src/operators/vouchers.ts";

export const endVoucher: Handler<"endVoucher"> = async (context, request) => {
  const asked = { id: request.path.id, reason: request.body.reason.trim() };
  return { status: 200, body: voucherRecord(await end(context, actorOf(request), asked)) };
};
