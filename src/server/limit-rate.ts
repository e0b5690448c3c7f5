// The limits before anything of a request's body is read (OPERATOR.md, order of refusals): a cheap ceiling for calls that
// name a model, a bound for reads and account operations, one by address for public ones. What they count is src/limits'.
import type { Operation } from "../../generated/operations.ts";
import { requestBound } from "../limits/bounds.ts";
import { nobody } from "../limits/counters.ts";
import type { Edge, Exchange } from "./edge.ts";

export function rateLimiter({ auth, errors, counts }: Operation): (edge: Edge, exchange: Exchange) => Promise<void> | void {
  if (!errors.includes("rate_limit_exceeded")) return () => undefined; // e.g. payment providers send as fast as they must
  if (auth === "none") {
    return ({ context: { limits }, limits: { publicPerMinute } }, { address }) =>
      limits.assertWithin({ accountId: nobody, bucket: `public:${address}` }, publicPerMinute);
  }
  if (counts) {
    return ({ context }, exchange) => {
      const { accountId, purchased } = callerOf(exchange);
      context.limits.assertBelowCeiling(accountId, requestBound(context.catalog, purchased));
    };
  }
  return ({ context }, exchange) => {
    const { accountId, purchased } = callerOf(exchange);
    return context.limits.assertWithin({ accountId, bucket: "reads" }, requestBound(context.catalog, purchased));
  };
}

function callerOf({ caller }: Exchange) {
  if (caller === null) throw new Error("a rate is limited before authentication");
  return caller;
}
