// GET /v1/credits/balance: what the caller has, and the tier that follows from it. src/ledger/balance.ts reads the numbers.
import { nothingPaid, tierOf } from "../src/catalog/tiers.ts";
import type { Context } from "../src/context.ts";
import { type Balance, readBalance } from "../src/ledger/balance.ts";
import { type Amount, parseUsd, toUsd } from "../src/money.ts";
import { creditsPage } from "../src/network/own-addresses.ts";
import type { Handler } from "../src/operation.ts";

const vary = "authorization, cookie";
const lowBalance = parseUsd("0.05") as Amount;
const noBalance: Balance = { ...nothingPaid, available: 0n, reserved: 0n, earned: 0n, spent: 0n };

export const getCreditBalance: Handler<"getCreditBalance"> = async (context, { caller, requestId }) => {
  const read = await tryReadBalance(context, caller.accountId, requestId);
  if (read === null) return { status: 200, headers: { "cache-control": "no-store", vary }, body: unread(context) };
  // A call in flight is only held, not charged, so its hold still belongs to the balance.
  const balance = read.available + read.reserved;
  const tier = tierOf(context.catalog, read);
  const low = balance < lowBalance;
  return {
    status: 200,
    headers: { "cache-control": "private, max-age=30", vary },
    body: {
      balance: toUsd(balance),
      lifetime_purchased: toUsd(read.purchased),
      lifetime_earned: toUsd(read.earned),
      lifetime_spent: toUsd(read.spent),
      read_ok: true,
      tier: tier.tier,
      tier_name: tier.name,
      tier_rpm: tier.rpm,
      low_balance: low,
      nudge: low ? nudgeTo(context.publicUrl) : null,
    },
  };
};

/** Null: the database failed, which the reply says with read_ok instead of failing. An account without a row never had money. */
async function tryReadBalance({ db, log }: Context, accountId: bigint, requestId: string): Promise<Balance | null> {
  try {
    return (await readBalance(db, accountId)) ?? noBalance;
  } catch (error) {
    log.error({ err: error, requestId }, "the balance could not be read");
    return null;
  }
}

function unread({ catalog }: Context) {
  const numbers = { balance: 0, lifetime_purchased: 0, lifetime_earned: 0, lifetime_spent: 0, tier: 0, tier_rpm: 0 };
  return { ...numbers, read_ok: false, tier_name: tierOf(catalog, nothingPaid).name, low_balance: false, nudge: null };
}

function nudgeTo(publicUrl: string) {
  return {
    message: "The balance is under 0.05 USD: add credits to keep calling.",
    action: creditsPage(publicUrl),
  };
}
