// POST /v1/credits/webhooks/stripe: accepts an event only with a signature over its exact bytes. src/payments/events.ts carries it out.
import type { Context } from "../src/context.ts";
import { failParameter } from "../src/errors/fail.ts";
import { takeEvent } from "../src/payments/events.ts";
import type { Handler, Request } from "../src/operation.ts";

/** Wrong signatures allowed from one network. The provider's own are right, so none of its events is refused for this. */
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
    // The message only: the error itself holds the event and the header.
    log.warn({ reason: String((error as Error).message).split("\n")[0], request_id: requestId }, "a payment event was refused");
    return failSignature("it is missing, too old, or not made over this event with the secret that is configured here");
  }
}

function failSignature(reason: string): never {
  return failParameter("stripe-signature", reason);
}
