// Keeps request fields that change what a provider charges from it, unless the model has a price for them or the provider's `forward` in the
// catalog lists them: what has no price is not passed on (docs/behaviour/requests.md#withheld-fields). The table is spec/withheld-fields.tsp.
import { knownFields, type ServerTool, type WithheldField, withheldFields } from "../../generated/withheld-fields.ts";
import type { Ask } from "../calls/ask.ts";
import type { Model } from "../catalog/types.ts";
import { failParameter } from "../errors/fail.ts";
import { isBedrockTier } from "../providers/bedrock/request.ts";
import { isGoogleTier } from "../providers/gemini/chat.ts";
import { isObject } from "../providers/json/read.ts";
import type { Route } from "../providers/types.ts";
import { isAnthropics } from "../providers/vertex/vertex.ts";
import type { Candidate } from "../routing/candidates.ts";

/** The field by which an operation asks for tools that a provider runs; null: it has none. */
type ToolField = "web_search_options" | "tools" | null;

type Priced = Pick<Model, "routes" | "tokens">;

/** Fails with invalid_parameter for a field that can neither be passed on nor dropped. */
export function assertPriced(body: object, model: Priced, toolField: ToolField = null): void {
  const param = unpricedParam(body, model, toolField);
  if (param !== null) failParameter(param, "it changes what the provider charges, and it has no price here");
}

/** The same as a question, for a model that may answer instead. */
export function isPriced(body: object, model: Priced, toolField: ToolField = null): boolean {
  return unpricedParam(body, model, toolField) === null;
}

function unpricedParam(body: object, model: Priced, toolField: ToolField): string | null {
  for (const name in body) {
    const row = rowOf(name);
    if (row?.treatment !== "refused" || model.routes.every((route) => isForwarded(name, route))) continue;
    const value = (body as Record<string, unknown>)[name];
    const passing = name === toolField ? soldIn(row, model, toolField) : [];
    const place = passing === true ? null : costlyPlace(value, { ...row, harmless: [...(row.harmless ?? []), ...passing] });
    if (place !== null) return name + place;
  }
  return null;
}

/** What of a field passes because the model has a price for it: true for all of it, else these values. */
function soldIn({ calls = {} }: WithheldField, model: Priced, field: NonNullable<ToolField>): true | readonly string[] {
  if (typeof calls === "string") return sellsTool(model, calls, field) || [];
  return Object.entries(calls).flatMap(([value, tool]) => (sellsTool(model, tool, field) ? [value] : []));
}

/** Whether the model has a price for a call of that tool, a bound where the field has none, and a route that can run it. */
export function sellsTool({ tokens, routes }: Priced, tool: ServerTool, field: NonNullable<ToolField>): boolean {
  const price = tokens?.serverTools[tool];
  if (price === undefined) return false;
  const isTool = field === "tools";
  return (isTool || price.max !== null) && routes.some(({ provider }) => provider.protocol === (isTool ? "anthropic" : "openai"));
}

/** Which of the provider's tools that can have a price it is; null: none. */
export function serverToolOf({ type }: { type?: string | null }): ServerTool | null {
  return (type != null && toolTypes.get(type)) || null;
}

const toolTypes = new Map(Object.entries(withheldFields["tools"]!.calls as Readonly<Record<string, ServerTool>>));

/** It speaks to the gateway: src/routing/wishes.ts. */
const ownField = "routing";

/** Edits of the request's JSON that remove what this route's provider must not get. */
export function withheldEdits(body: object, { model, route }: Pick<Candidate, "model" | "route">): Record<string, null> {
  const edits: Record<string, null> = {};
  for (const name in body) {
    if (name === ownField) {
      edits[name] = null;
      continue;
    }
    if (!usualNames.has(name)) {
      const known = knownNames.get(folded(name));
      if (known === undefined) continue;
      // Some hosts match names without case, or take camel case: a second spelling would reach them beside the field that was checked.
      if (name !== known) {
        edits[name] = null;
        continue;
      }
    }
    if (rowOf(name)?.treatment !== "dropped" || isForwarded(name, route)) continue;
    if (!hasPrice(name, (body as Record<string, unknown>)[name], model)) edits[name] = null;
  }
  return edits;
}

/** Whether a service tier is left in the request. */
function passesTier(tier: string, { model, route }: Pick<Candidate, "model" | "route">): boolean {
  return hasPrice("service_tier", tier, model) || isForwarded("service_tier", route);
}

/**
 * Whether the tier that a request asks for reaches the route's provider: Anthropic has tiers of its own, which no chat request names, and
 * Bedrock's chats go through the same translation.
 */
export function carriesTier({ operationId }: Pick<Ask, "operationId">, route: Route, tier: string | null): boolean {
  const { protocol } = route.provider;
  if (protocol === "bedrock") return operationId === "createMessage" && isBedrockTier(tier);
  if (protocol === "gemini" || (protocol === "vertex" && !isAnthropics({ route }))) return isGoogleTier(tier);
  return protocol === "openai" || protocol === "azure-openai" || (protocol === "anthropic" && operationId === "createMessage");
}

/** What its provider was asked for; null: the usual. */
export function sentTier(ask: Ask, candidate: Candidate, tier: string | null): string | null {
  return tier !== null && passesTier(tier, candidate) && carriesTier(ask, candidate.route, tier) ? tier : null;
}

function rowOf(name: string): WithheldField | undefined {
  return Object.hasOwn(withheldFields, name) ? withheldFields[name] : undefined;
}

/** A tier that the model has a price for is charged at that price (src/language/token-hold.ts). */
function hasPrice(name: string, value: unknown, { pricing }: Pick<Model, "pricing">): boolean {
  return name === "service_tier" && typeof value === "string" && pricing.mode === "per-token" && pricing.serviceTiers.has(value);
}

function isForwarded(name: string, { provider }: Pick<Route, "provider">): boolean {
  return provider.forward.includes(name);
}

/** Where a value asks for what costs: "" for the value itself, a path inside it, or null where it asks for nothing. */
function costlyPlace(value: unknown, { of, harmless = [] }: WithheldField): string | null {
  if (value == null || value === false) return null;
  if (!Array.isArray(value)) return harmless.includes(value) ? null : "";
  const partOf = (item: unknown): unknown => (of !== undefined && isObject(item) ? item[of] : item);
  const index = value.findIndex((item) => partOf(item) != null && !harmless.includes(partOf(item)));
  if (index === -1) return null;
  return of === undefined ? `[${index}]` : `[${index}].${of}`;
}

/** Without case, `_` and `-`. Both cases, because some letters are another one's capital: `ſ` is an s to such hosts. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase().replaceAll(/[_-]/g, "");
}

const knownNames: ReadonlyMap<string, string> = new Map(knownFields.map((name) => [folded(name), name]));
/** Spelled as they are known, as nearly all names are: folding one takes longer than all else here. */
const usualNames: ReadonlySet<string> = new Set(knownNames.values());
