// Which model a request names, and at which prices: what is refused before any limit or money (docs/behaviour/requests.md#order).
import { endpointOf } from "../admission/endpoints.ts";
import { failNotServed, type Resolved, resolveModel } from "../catalog/resolve.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import { fail } from "../errors/fail.ts";
import { type Amount, amountFromUsd } from "../money.ts";
import type { TokenPrices } from "../pricing/token-cost.ts";

/** Throws model_not_found or wrong_endpoint. */
export function admitModel(catalog: Catalog, id: string, type: Model["type"]): Resolved {
  const found = resolveModel(catalog, id);
  if (found === undefined) failNotServed(catalog, { id, param: "model", type, model: null });
  const { model, alias } = found;
  const endpoint = endpointOf(model);
  if (model.state.kind !== "active" || endpoint === null) failNotServed(catalog, { id, param: "model", type, model });
  if (model.type !== type) fail("wrong_endpoint", { param: "model", text: { model: id, type: model.type, endpoint } });
  return { model, alias };
}

/** The prices of a token-billed model; the catalog's check lets no other mode through for these types. */
export function tokenPricesOf({ id, type, pricing }: Model): TokenPrices {
  if (pricing.mode !== "per-token") throw new Error(`${id} is not billed by token`);
  // Decisions: input is rounded up to 0.0001 USD, output is free whatever the file says.
  return type === "decisions" ? { ...pricing, output: 0n, step: decisionStep } : { ...pricing, step: 1n };
}

const decisionStep = amountFromUsd(0.0001) as Amount;
