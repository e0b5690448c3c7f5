// What a key spent, what its calls in flight hold and what it has left, for its life and in the running period. Reads alone.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { type Amount, toUsd } from "../money.ts";
import { shownBudget, type StoredBudget } from "./key-budgets.ts";

type KeyUsage = components["schemas"]["ApiKeyUsage"];

interface Row extends StoredBudget {
  spent: Amount;
  reserved: Amount;
  period_spent: Amount;
  starts: Date | null;
  ends: Date | null;
}

/** For its life and in the running period. Undefined: the key has just been deleted. */
export async function readKeySpending(
  db: Queries,
  id: bigint,
): Promise<Pick<KeyUsage, "reserved_usd" | "lifetime" | "period"> | undefined> {
  const { rows } = await db.pool.query<Row>(
    `select b.limit_amount, b.period, b.period_limit, b.spent, b.reserved, case when at < b.period_ends then b.period_spent else 0 end as period_spent,
       date_trunc(b.period, at, 'UTC') as starts, budget_period_ends(b.period, b.period_ends, at) as ends
     from key_budget b join api_key k on k.id = b.key_id, (select clock_timestamp() as at) now where b.key_id = $1 and k.deleted_at is null`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { limit, resets, lifetime } = shownBudget(row);
  const { period, spent, reserved, period_spent, starts, ends } = row;
  return {
    reserved_usd: toUsd(reserved),
    lifetime: {
      limit_usd: lifetime === null ? null : toUsd(lifetime),
      spent_usd: toUsd(spent),
      remaining_usd: leftOf(lifetime, spent + reserved),
    },
    period:
      period === null
        ? null
        : {
            ...{ resets, limit_usd: limit === null ? null : toUsd(limit), spent_usd: toUsd(period_spent) },
            ...{ remaining_usd: leftOf(limit, period_spent + reserved), starts_at: starts!.toISOString(), resets_at: ends!.toISOString() },
          },
  };
}

/** At least 0: a budget may be set below what is spent. */
function leftOf(limit: Amount | null, taken: Amount): number | null {
  if (limit === null) return null;
  return limit > taken ? toUsd(limit - taken) : 0;
}
