// The usage block of a chat answer (gateway-api.md "Chat completion response"): one form, streamed and not.
import type { components } from "../../../generated/api.d.ts";
import type { Model } from "../../catalog/types.ts";
import { toUsd } from "../../money.ts";
import type { Bill } from "../open-call.ts";

type ChatUsage = components["schemas"]["ChatUsage"];

export function chatUsage({ usage, cost, cacheDiscount }: Bill, model: Pick<Model, "supports">): ChatUsage {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, ...(usage.cacheWrite > 0 ? { cache_write_tokens: usage.cacheWrite } : {}) },
    ...(model.supports.reasoning || usage.reasoning > 0 ? { completion_tokens_details: { reasoning_tokens: usage.reasoning } } : {}),
    cost: toUsd(cost),
    cache_discount: toUsd(cacheDiscount),
  };
}
