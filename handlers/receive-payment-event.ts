// POST /v1/credits/webhooks/stripe: an event counts only with a signature over its very bytes. What it does is
// src/payments/topups.ts.
import type { Context } from "../src/context.ts";
import { failParameter } from "../src/errors/fail.ts";
import { takeEvent } from "../src/payments/topups.ts";
import type { Handler, Request } from "../src/operation.ts";

/** The provider's own are right: from where it sends, none is refused. */
const wrongPerMinute = 60;

const receive: Handler<"receivePaymentEvent"> = async (context, request) => {
  const event = readEvent(context, request);
  if (event !== undefined) await takeEvent(context, event, request.receivedAt);
  return { status: 200, body: { received: true } };
};

export const receivePaymentEvent: Handler<"receivePaymentEvent"> = Object.assign(receive, {
  beforeBody: ({ limits }: Context, address: string) => limits.faults.assertFew("payment event", address, wrongPerMinute),
});

function readEvent(
  { limits, payments, log }: Context,
  { address, rawBody, headers, receivedAt, requestId }: Request<"receivePaymentEvent">,
) {
  if (payments === null) return failSignature("no payment provider is configured here");
  try {
    return payments.readEvent(rawBody, headers["stripe-signature"] ?? "", receivedAt);
  } catch (error) {
    limits.faults.note("payment event", address, wrongPerMinute);
    // Its message only: the error itself carries the event, and the header.
    log.warn({ reason: String((error as Error).message).split("\n")[0], request_id: requestId }, "a payment event was refused");
    return failSignature("it is missing, too old, or not made over this event with the secret that is configured here");
  }
}

function failSignature(reason: string): never {
  return failParameter("stripe-signature", reason);
}
