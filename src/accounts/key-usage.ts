// What a key spent, what its calls in flight hold and what it has left, for its life and in the running period; and its days. Reads alone.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { keyIdText } from "../ids.ts";
import { type Amount, toUsd } from "../money.ts";
import { shownBudget, type StoredBudget } from "./key-budgets.ts";
import type { FoundKey } from "./key-records.ts";

type KeyUsage = components["schemas"]["ApiKeyUsage"];

const daysShown = 30;

interface Row extends StoredBudget {
  spent: Amount;
  reserved: Amount;
  period_spent: Amount;
  starts: Date | null;
  ends: Date | null;
}

/** Undefined: the key has just been deleted. */
export async function readKeyUsage(db: Queries, { id, accountId }: FoundKey): Promise<KeyUsage | undefined> {
  const spending = await readKeySpending(db, id);
  if (spending === undefined) return undefined;
  return { object: "api_key_usage", id: keyIdText(id), ...spending, days: await readDays(db, accountId, id) };
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

/** Newest first, days without a request included. */
async function readDays(db: Queries, accountId: bigint, keyId: bigint): Promise<KeyUsage["days"]> {
  const { rows } = await db.pool.query<{ day: string; requests: number; cost: Amount }>(
    `select to_char(d, 'YYYY-MM-DD') as day, coalesce(u.requests, 0) as requests, coalesce(u.cost, 0)::bigint as cost
     from (select date_trunc('day', clock_timestamp() at time zone 'UTC') as today) t,
       lateral generate_series(t.today, t.today - make_interval(days => $3 - 1), interval '-1 day') d
     left join (select date_trunc('day', created_at at time zone 'UTC') as day, count(*)::int as requests, sum(cost)::bigint as cost
       from usage_log where account_id = $1 and key_id = $2 and created_at >= now() - make_interval(days => $3) group by 1) u on u.day = d
     order by d desc`,
    [accountId, keyId, daysShown],
  );
  return rows.map(({ day, requests, cost }) => ({ date: day, requests, cost_usd: toUsd(cost) }));
}
