// Holds a request against the policies of its key, which are prepared with its caller: expiry, network, operation. The model is checked where
// it is known (src/calls/refusals.ts), the rates where they are counted.
import type { Operation } from "../../generated/operations.ts";
import { assertNetworkAllowed, assertNotExpired, assertOperationAllowed, type KeyPolicy } from "../accounts/key-policy.ts";
import { clientAddress, type Edge, type Exchange } from "./edge.ts";

/** Fails with key_expired, network_not_allowed or operation_not_allowed. */
export function assertKeyRules({ context }: Edge, exchange: Exchange, operation: Operation, policy: KeyPolicy): void {
  assertNotExpired(policy, context.clock().getTime());
  if (policy.networks !== null) assertNetworkAllowed(policy, clientAddress(exchange.req, context.config.trustedProxies));
  assertOperationAllowed(policy, operation.id);
}
