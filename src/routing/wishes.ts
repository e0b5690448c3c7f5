// What a request says of the routes that may serve it (docs/behaviour/providers.md#wishes): which, in which order, up to which price. Routes
// are named by the labels that the catalog gives them: no provider's id is known outside.
import type { components } from "../../generated/api.d.ts";
import type { Candidate, Model } from "../catalog/types.ts";
import { failParameter } from "../errors/fail.ts";
import { million, usdFromPrice } from "../money.ts";
import { dearestPricesOf } from "../pricing/token-cost.ts";
import { layerAt } from "./candidates.ts";

export type RoutingWishes = components["schemas"]["RoutingWishes"];

/** What the prices of its tokens depend on. */
export interface PricedRequest {
  /** The most tokens of its texts. */
  prompt: number;
  images: number;
  tier: string | null;
}

/** Fails with invalid_parameter where the model costs more than the request accepts. */
export function assertPrice(model: Model, wishes: RoutingWishes, request: PricedRequest): void {
  const above = priceAbove(model, wishes, request);
  if (above === null) return;
  failParameter(`routing.max_price.${above.field}`, `${model.id} costs ${above.usd} USD per million tokens`);
}

/** The same as a question, for a model that may answer instead. */
export function isWithinPrice(model: Model, wishes: RoutingWishes, request: PricedRequest): boolean {
  return priceAbove(model, wishes, request) === null;
}

/** A prompt that may be long enough for the model's prices of long prompts is taken for one. */
function priceAbove(model: Model, { max_price: most }: RoutingWishes, { prompt, images, tier }: PricedRequest) {
  if (most === undefined || model.tokens === null) return null;
  const { input, output } = dearestPricesOf(model.tokens, { prompt: prompt + images * model.imageTokensMax, tier, searches: false });
  const prices = { prompt: usdFromPrice(input, million), completion: usdFromPrice(output, million) };
  for (const field of ["prompt", "completion"] as const) {
    const limit = most[field];
    if (limit !== undefined && prices[field] > limit) return { field, usd: prices[field] };
  }
  return null;
}

/** The candidates that the request allows, in its order. Fails with invalid_parameter where none of the model's own routes is left. */
export function wishedOf(
  candidates: readonly Candidate[],
  model: Model,
  { order = [], only, ignore = [] }: RoutingWishes,
): readonly Candidate[] {
  const named = only === undefined ? candidates : candidates.filter(({ route }) => route.label !== undefined && only.includes(route.label));
  assertLeft(named, model, "only");
  const left = ignore.length === 0 ? named : named.filter(({ route }) => route.label === undefined || !ignore.includes(route.label));
  assertLeft(left, model, "ignore");
  const own = inOrder(left.filter(isOwn), order);
  const fallbacks = byModel(left.filter((candidate) => !isOwn(candidate))).flatMap((routes) => inOrder(routes, order));
  return [...own.map((candidate, position) => ({ ...candidate, layer: layerAt(candidate, position) })), ...fallbacks];
}

function isOwn({ layer }: Candidate): boolean {
  return layer !== 3;
}

function assertLeft(left: readonly Candidate[], model: Model, field: "only" | "ignore"): void {
  if (left.some(isOwn)) return;
  const labels = [...new Set(model.routes.flatMap(({ label }) => label ?? []))];
  const names = labels.length === 0 ? "none of its routes has a label" : `its routes are labelled ${labels.join(", ")}`;
  failParameter(`routing.${field}`, `no route of ${model.id} is left; ${names}`);
}

/** Those that are named, in the order of their names, then the others in theirs. */
function inOrder(candidates: readonly Candidate[], order: readonly string[]): readonly Candidate[] {
  if (order.length === 0) return candidates;
  const place = ({ route }: Candidate) => {
    const at = route.label === undefined ? -1 : order.indexOf(route.label);
    return at === -1 ? order.length : at;
  };
  return candidates.toSorted((one, other) => place(one) - place(other));
}

/** Fallback models keep their order: a label chooses among the routes of each. */
function byModel(candidates: readonly Candidate[]): Candidate[][] {
  return [...Map.groupBy(candidates, ({ model }) => model).values()];
}
