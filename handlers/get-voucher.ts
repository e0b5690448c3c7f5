// GET /v1/operator/vouchers/{id}: one voucher, without its code.
import type { Handler } from "../src/operation.ts";
import { showVoucher } from "../src/operators/vouchers.ts";

export const getVoucher: Handler<"getVoucher"> = async (context, { path: { id } }) => ({
  status: 200,
  body: await showVoucher(context, id),
});
