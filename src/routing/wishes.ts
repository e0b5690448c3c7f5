// What a request says of the routes that may serve it (docs/behaviour/providers.md#wishes): which, in which order, up to which price. Routes
// are named by the labels that the catalog gives them: no provider's id is known outside.
import type { components } from "../../generated/api.d.ts";
import type { Candidate, Model, RouteCost, RouteSort } from "../catalog/types.ts";
import { failParameter } from "../errors/fail.ts";
import { million, usdFromPrice } from "../money.ts";
import { dearestPricesOf } from "../pricing/token-cost.ts";
import { noToolCalls } from "../usage.ts";
import { chosen, layerAt } from "./candidates.ts";
import type { RouteFigures } from "./figures.ts";

export type RoutingWishes = components["schemas"]["RoutingWishes"];

/** What the prices of its tokens depend on. */
interface PricedRequest {
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
  const { input, output } = dearestPricesOf(model.tokens, { prompt: prompt + images * model.imageTokensMax, tier, toolCalls: noToolCalls });
  const prices = { prompt: usdFromPrice(input, million), completion: usdFromPrice(output, million) };
  for (const field of ["prompt", "completion"] as const) {
    const limit = most[field];
    if (limit !== undefined && prices[field] > limit) return { field, usd: prices[field] };
  }
  return null;
}

/** What routes are sorted by. */
interface Sorting {
  figures: RouteFigures;
  stream: boolean;
  /** Tokens of the prompt, and the most of the answer; null: as many as the model likes. */
  prompt: number;
  output: number | null;
}

/**
 * The candidates that the request allows, in its order or in that of the catalog's `route_by`. Fails with invalid_parameter where none of the
 * model's own routes is left.
 */
export function arranged(
  candidates: readonly Candidate[],
  model: Model,
  { order = [], only, ignore = [], sort }: RoutingWishes,
  sorting: Sorting,
): readonly Candidate[] {
  const named = only === undefined ? candidates : candidates.filter(({ route }) => route.label !== undefined && only.includes(route.label));
  assertLeft(named, model, "only");
  const left = ignore.length === 0 ? named : named.filter(({ route }) => route.label === undefined || !ignore.includes(route.label));
  assertLeft(left, model, "ignore");
  const by = sort ?? model.routeBy;
  const scores = by === null ? null : scoresOf(left, by, sorting);
  const arrange = (routes: readonly Candidate[]) => inOrder(scores === null ? routes : sorted(routes, scores, sort === undefined), order);
  const own = arrange(left.filter(isOwn)).map((candidate, position) => ({
    ...candidate,
    layer: layerAt(candidate, position),
    choice: undefined,
  }));
  const all: Candidate[] = [...own, ...byModel(left.filter((candidate) => !isOwn(candidate))).flatMap(arrange)];
  const drawn = model.weighted && own.length > 1;
  const isNamed = order.includes(own[0]!.route.label ?? "");
  const rule = by ?? (drawn ? "weight" : isNamed ? "order" : "catalog");
  if (rule === "catalog" && left.length === candidates.length) return all;
  const kept = by !== null && sort === undefined && own[0]!.route.weight !== undefined;
  const first = isNamed && rule !== "order" ? { first: "order" as const } : kept ? { first: "weight" as const } : {};
  return chosen(all, { by: rule, ...first }, (routeId) => scores?.get(routeId)?.score ?? null);
}

interface Score {
  /** Null: unknown. */
  score: number | null;
  /** The lowest goes first. */
  rank: number;
}

function scoresOf(candidates: readonly Candidate[], by: RouteSort, sorting: Sorting): ReadonlyMap<string, Score> {
  const scores = new Map(candidates.map((candidate) => [candidate.routeId, scoreOf(candidate, by, sorting)]));
  if (by === "price") return scores;
  const probed = candidates.find(({ routeId }) => scores.get(routeId)!.score === null && sorting.figures.probes(routeId)); // one each request
  if (probed !== undefined) scores.set(probed.routeId, { score: null, rank: -Infinity });
  return scores;
}

function scoreOf({ routeId, route }: Candidate, by: RouteSort, { figures, stream, prompt, output }: Sorting): Score {
  if (by === "price") {
    const score = route.cost === null ? null : usdOf(route.cost, prompt, output ?? usualOutput);
    return { score, rank: score ?? Infinity };
  }
  const score = figures.of(routeId, by === "throughput" ? "perSecond" : stream ? "firstMs" : "wholeMs");
  if (score === null) return { score, rank: Infinity };
  const step = Math.round(Math.log(Math.max(score, 1)) / Math.log(alike));
  return { score: Math.round(score * 10) / 10, rank: by === "throughput" ? -step : step };
}

/** Routes that differ by less may change places only now and then: a provider's prompt cache is worth more than that. */
const alike = 1.15;

/** Tokens of an answer without a cap. */
const usualOutput = 300;

function usdOf(cost: RouteCost, prompt: number, output: number): number {
  const rates = cost.long !== undefined && prompt > cost.long.above ? cost.long : cost;
  return usdFromPrice(rates.input * BigInt(prompt) + rates.output * BigInt(output) + cost.request);
}

/** Routes with a weight stay first where the catalog sorts: a conversation stays where its prompt is cached. */
function sorted(candidates: readonly Candidate[], scores: ReadonlyMap<string, Score>, keepsWeights: boolean): readonly Candidate[] {
  const isKept = ({ route }: Candidate) => keepsWeights && route.weight !== undefined;
  const rankOf = ({ routeId }: Candidate) => scores.get(routeId)!.rank;
  const compare = (one: number, other: number) => (one === other ? 0 : one < other ? -1 : 1);
  return [
    ...candidates.filter(isKept),
    ...candidates.filter((candidate) => !isKept(candidate)).sort((one, other) => compare(rankOf(one), rankOf(other))),
  ];
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
