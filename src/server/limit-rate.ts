// The limits before anything of a request's body is read (OPERATOR.md, order of refusals): a cheap ceiling for calls that
// name a model, a bound for reads and account operations, one by address for public ones. What they count is src/limits'.
import type { Operation } from "../../generated/operations.ts";
import { requestBound } from "../limits/bounds.ts";
import { nobody } from "../limits/counters.ts";
import type { Edge, Exchange } from "./edge.ts";

export function rateLimiter({ id, auth, errors }: Operation): (edge: Edge, exchange: Exchange) => Promise<void> | void {
  if (id === "receivePaymentEvent") return () => undefined; // a payment provider sends as fast as it must
  if (auth === "none") {
    return ({ context: { limits }, limits: { publicPerMinute } }, { address, receivedAt }) =>
      limits.assertWithin({ accountId: nobody, bucket: `public:${address}` }, publicPerMinute, receivedAt);
  }
  // Only what names a model can ask for a paid one.
  if (errors.includes("model_requires_paid")) {
    return ({ context }, exchange) => {
      const { accountId, purchased } = callerOf(exchange);
      context.limits.assertBelowCeiling(accountId, requestBound(context.catalog, purchased), exchange.receivedAt);
    };
  }
  return ({ context }, exchange) => {
    const { accountId, purchased } = callerOf(exchange);
    return context.limits.assertWithin({ accountId, bucket: "reads" }, requestBound(context.catalog, purchased), exchange.receivedAt);
  };
}

function callerOf({ caller }: Exchange) {
  if (caller === null) throw new Error("a rate is limited before authentication");
  return caller;
}
