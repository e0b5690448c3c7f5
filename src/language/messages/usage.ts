// The usage block of a message (WIRE.md 8.2): one form, streamed and not.
import type { components } from "../../../generated/api.d.ts";
import type { Model } from "../../catalog/types.ts";
import { toUsd } from "../../money.ts";
import type { Bill } from "../open-call.ts";

type MessageUsage = components["schemas"]["MessageUsage"];

export function messageUsage({ usage, cost, cacheDiscount }: Bill, model: Pick<Model, "supports">): MessageUsage {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    ...(model.supports.reasoning || usage.reasoning > 0 ? { output_tokens_details: { thinking_tokens: usage.reasoning } } : {}),
    cost: toUsd(cost),
    cache_discount: toUsd(cacheDiscount),
  };
}
