// Writes a message as server-sent events (docs/behaviour/streams.md#message-events). Each event has a name: clients drop those without.
import type { components } from "../../../generated/api.d.ts";
import { streamFault } from "../../calls/event-stream.ts";
import type { Model } from "../../catalog/types.ts";
import type { Context } from "../../context.ts";
import { toUsd } from "../../money.ts";
import { UpstreamError } from "../../providers/errors/upstream-error.ts";
import type { MessageRecord, MessageStream } from "../../providers/verbs/messages.ts";
import type { StreamedAnswer, StreamEncoder } from "../stream-answer.ts";
import { serverToolUse, type TokenBill } from "../token-call.ts";

export function messageEncoder(
  context: Pick<Context, "publicUrl">,
  { ask, call, source }: StreamedAnswer<MessageStream>,
): StreamEncoder<MessageRecord> {
  let begun = false;
  return {
    record(record) {
      begun = true;
      return event(record);
    },
    /** No event may come before message_start. */
    get keepAlive() {
      return begun ? event({ event: "ping", json: '{"type":"ping"}' }) : ": keep-alive\n\n";
    },
    end(bill) {
      const { stop_reason, stop_sequence, stop_details } = source.tally.end ?? { stop_reason: "end_turn", stop_sequence: null };
      const delta = { stop_reason, stop_sequence, ...(stop_details == null ? {} : { stop_details }) };
      return named("message_delta", { delta, usage: messageUsage(bill, call.admitted.model) }) + named("message_stop", {});
    },
    interrupted(error) {
      const fault = streamFault(context, ask);
      const details = { error_code: fault.code };
      return named("error", { error: { ...fault, type: faultType(error), details }, request_id: ask.requestId });
    },
  };
}

function named(name: string, data: object): string {
  return event({ event: name, json: JSON.stringify({ type: name, ...data }) });
}

function event({ event: name, json }: { event: string; json: string }): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

/** Agents retry "overloaded" without end, so only an upstream that says it is overloaded gets it. */
function faultType(error: unknown): "api_error" | "overloaded_error" {
  return error instanceof UpstreamError && (error.fault === "rate_limited" || error.status === 529) ? "overloaded_error" : "api_error";
}

// The usage block of a message, the same streamed and whole (docs/behaviour/translation.md#usage).

type MessageUsage = components["schemas"]["MessageUsage"];

export function messageUsage(bill: TokenBill, model: Pick<Model, "supports">): MessageUsage {
  const { usage, cost, cacheDiscount } = bill;
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...(model.supports.reasoning || usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    ...serverToolUse(bill),
    cost: toUsd(cost),
    cache_discount: toUsd(cacheDiscount),
  };
}
