// Rerank: how large a request's input is, how it is sent to a route, and the reply.
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import { toUsd } from "../money.ts";
import { type JsonText, spliceJson } from "../providers/json/splice.ts";
import type { RerankWhole } from "../providers/verbs/without-output.ts";
import { adapterOf } from "../routing/candidates.ts";
import { noOutput } from "./context-window.ts";
import { besideTexts, rankingSize } from "./prompt-size.ts";
import type { RequestAdapter } from "./serve.ts";
import type { TokenBill } from "./token-call.ts";
import { assertPriced, isPriced, withheldEdits } from "./withheld-fields.ts";

interface RerankRequest {
  text: JsonText;
  body: Pick<components["schemas"]["RerankRequest"], "model" | "query" | "documents" | "top_n" | "routing">;
}

/** Fields that no host reads as a part of the texts, beside those themselves. */
const unreadFields: ReadonlySet<string> = new Set(["model", "query", "documents", "routing", "rank_fields", "truncate"]);

export function rerankAdapter({ providers }: Pick<Context, "providers">, { text, body }: RerankRequest): RequestAdapter<RerankWhole> {
  return {
    model: body.model,
    type: "reranking",
    stream: false,
    assertFits: (model) => assertPriced(body, model),
    fits: (other) => isPriced(body, other),
    measure: () => rankingSize(body.query, body.documents, besideTexts(body, unreadFields)),
    cap: noOutput,
    routing: body.routing,
    async call({ candidate, upstream }) {
      const rerank = adapterOf(providers.rerank, candidate);
      return rerank({
        ...upstream,
        body: spliceJson(text, {
          ...withheldEdits(body, candidate),
          model: JSON.stringify(candidate.route.model),
        }),
        documents: body.documents.length,
        topN: body.top_n ?? null,
      });
    },
    charactersOf: () => 0,
  };
}

type Ranking = components["schemas"]["RerankRanking"];

/** The model's own ranking with the gateway's usage. */
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
