// GET /v1/operator/vouchers: vouchers with who redeemed them, those of the newest batch first.
import { failParameter } from "../src/errors/fail.ts";
import { parseAccountId, parseVoucherId } from "../src/ids.ts";
import { pageOf } from "../src/ledger/entries.ts";
import type { Handler } from "../src/operation.ts";
import { findVoucher, voucherRecord } from "../src/operators/vouchers.ts";
import { readVouchers } from "../src/payments/vouchers.ts";

export const listVouchers: Handler<"listVouchers"> = async ({ db, clock }, { query }) => {
  const { after: last, batch, account, status, limit = 50 } = query;
  const at = clock();
  const id = last === undefined ? undefined : parseVoucherId(last);
  const after = id === undefined ? undefined : await findVoucher(db, id, at);
  if (last !== undefined && after === undefined) failParameter("after", "it must be an id of this list");
  const filter = {
    ...{ after, status, batch: batch === undefined ? undefined : BigInt(batch) },
    accountId: account === undefined ? undefined : parseAccountId(account),
  };
  const { rows, hasMore } = await pageOf(limit, (most) => readVouchers(db, at, filter, most));
  const data = rows.map(voucherRecord);
  return { status: 200, body: { object: "list", data, has_more: hasMore, last_id: data.at(-1)?.id ?? null } };
};
