// The reply of rerank: the model's own ranking with the gateway's usage.
import type { components } from "../../../generated/api.d.ts";
import { toUsd } from "../../money.ts";
import type { RerankWhole } from "../../providers/verbs/rerank.ts";
import type { TokenBill } from "../token-call.ts";

type Ranking = components["schemas"]["RerankRanking"];

export function rankingOf({ ranking, usageShown }: RerankWhole, { usage, cost }: TokenBill): Ranking {
  const tokens = usage.input;
  const total = usageShown["total_tokens"];
  return {
    ...ranking,
    usage: {
      ...usageShown,
      prompt_tokens: tokens,
      total_tokens: typeof total === "number" && Number.isSafeInteger(total) ? Math.max(total, tokens) : tokens,
      cost: toUsd(cost),
    },
  };
}
