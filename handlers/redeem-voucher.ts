// POST /v1/credits/vouchers/redeem: adds a voucher's credit to the workspace, once.
import { entryId } from "../src/ledger/entries.ts";
import { toUsd } from "../src/money.ts";
import type { Handler } from "../src/operation.ts";
import { redeemVoucher as redeem } from "../src/payments/vouchers.ts";
import { actorOf } from "../src/workspaces/members.ts";

export const redeemVoucher: Handler<"redeemVoucher"> = async (context, { caller, body: { code }, address, receivedAt: at }) => {
  const { amount, seq, balance, expiresAt } = await redeem(context, { ...actorOf(caller), code, client: address, at });
  const posted = { entry: entryId(seq), amount_usd: toUsd(amount), balance_usd: toUsd(balance) };
  return { status: 200, body: { object: "voucher.redemption", ...posted, expires_at: expiresAt?.toISOString() ?? null } };
};
