// Which model a request names and whether this caller may use it here: the refusals that come before any limit
// or money (OPERATOR.md, order of refusals; cross-cutting rule 3).
import { topupMinimumUsd } from "../addresses.ts";
import { failNotServed } from "../catalog/not-served.ts";
import { resolveModel } from "../catalog/resolve.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import { fail } from "../fail.ts";
import { readBalance } from "../ledger/balance.ts";
import { amountFromUsd, type Amount } from "../money.ts";
import type { TokenPrices } from "../pricing/token-cost.ts";
import { paymentFields } from "./reserve.ts";

export interface Admitted {
  model: Model;
  /** The name that was sent, where it was an alias. */
  alias: string | null;
}

/** Throws model_not_found or wrong_endpoint. */
export function admitModel(catalog: Catalog, id: string, type: Model["type"]): Admitted {
  const found = resolveModel(catalog, id);
  if (found === undefined) failNotServed(catalog, { id, param: "model", type, model: null });
  const { model, alias } = found;
  const endpoint = endpointOf(model);
  if (model.state.kind !== "active" || endpoint === null) failNotServed(catalog, { id, param: "model", type, model });
  if (model.type !== type) fail("wrong_endpoint", { param: "model", text: { model: id, type: model.type, endpoint } });
  return { model, alias };
}

/** Where a model is served, for the sentence of wrong_endpoint. Null: models of its type are accepted in the file, never served. */
function endpointOf({ type, capability }: Model): string | null {
  return capability === null ? endpointOfType[type] : `/v1/audio/${capability}`;
}

const endpointOfType: Record<Model["type"], string | null> = {
  language: "/v1/chat/completions",
  image: "/v1/images/generations",
  video: "/v1/videos/generations",
  embedding: "/v1/embeddings",
  reranking: "/v1/rerank",
  transcription: "/v1/audio/transcriptions",
  "audio-understanding": null,
  realtime: null,
  speech: "/v1/audio/speech",
  decisions: "/v1/decisions",
};

/** An account that never added credits reaches free-tier models only; nothing is charged. */
export async function assertMayUse(context: Pick<Context, "db" | "catalog" | "publicUrl">, caller: Caller, model: Model): Promise<void> {
  if (mayUse(caller, model)) return;
  const balance = await readBalance(context.db, caller.accountId);
  if (balance !== undefined && balance.purchased > 0n) return; // funded a moment ago: the cached caller is older
  fail("model_requires_paid", {
    param: "model",
    text: { model: model.id },
    extra: {
      ...paymentFields(context.publicUrl, minimumTopUp, balance?.available ?? 0n),
      held_usd: 0,
      details: { model: model.id, tier: tierOf(context.catalog, 0n).tier },
    },
  });
}

export function mayUse(caller: Caller, model: Model): boolean {
  return caller.purchased > 0n || model.freeTier;
}

/** The prices of a token-billed model; the catalog's check lets no other mode through for these types. */
export function tokenPricesOf({ id, type, pricing }: Model): TokenPrices {
  if (pricing.mode !== "per-token") throw new Error(`${id} is not billed by token`);
  // gateway-api.md, decisions: input rounded up to 0.0001 USD, output free whatever the file says.
  return type === "decisions" ? { ...pricing, output: 0n, step: decisionStep } : { ...pricing, step: 1n };
}

const decisionStep = amountFromUsd(0.0001) as Amount;

const minimumTopUp = amountFromUsd(topupMinimumUsd) as Amount;
