// The budget of a key as a request gives it.
import { failParameter } from "../errors/fail.ts";
import { type Amount, amountFromUsd } from "../money.ts";

/** Null: as much as the account has; undefined: not named. A figure that the ledger can't hold exactly is refused, not rounded. */
export function readLimit(usd: number | null | undefined): Amount | null | undefined {
  if (usd == null) return usd;
  const limit = amountFromUsd(usd);
  if (limit !== undefined) return limit;
  return failParameter("limit_usd", "it may have 8 decimals at most");
}
