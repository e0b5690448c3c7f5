// The budget of a key as a request gives it.
import { fail } from "../fail.ts";
import { type Amount, amountFromUsd } from "../money.ts";

/** Null: as much as the account has; undefined: not named. A figure that the ledger can't hold exactly is refused, not rounded. */
export function readLimit(usd: number | null | undefined): Amount | null | undefined {
  if (usd == null) return usd;
  const limit = amountFromUsd(usd);
  if (limit !== undefined) return limit;
  return fail("invalid_parameter", { param: "limit_usd", text: { param: "limit_usd", reason: "it may have 8 decimals at most" } });
}
