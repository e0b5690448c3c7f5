// Compares two catalog files as their operator sees them: which models and providers differ, at what prices and margins. Also a file's text
// without secrets. Both take time in proportion to the file: compare-thread.ts runs them beside the calls.
import { isDeepStrictEqual } from "node:util";
import { isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from "yaml";
import type { components } from "../../generated/api.d.ts";
import type { CatalogFile, FileModel } from "./file.ts";
import { type Checked, readChecked } from "./load.ts";
import { comparedPrices } from "./route-cost.ts";

type Schemas = components["schemas"];
type Terms = Schemas["CatalogTerms"];
type ModelChange = Schemas["CatalogModelChange"];

export interface Comparison extends Checked {
  changes: ModelChange[];
  provider_changes: Schemas["CatalogProviderChange"][];
  other_changes: string[];
  truncated: boolean;
}

const changesMax = 1000;

/** `before`: a file without problems. */
export function compareCatalogs(before: string, after: string): Comparison {
  const { checked, file } = readChecked(after);
  const old = readChecked(before).file;
  if (file === null || old === null) return { ...checked, changes: [], provider_changes: [], other_changes: [], truncated: false };
  const models = changesOf(old.models, file.models);
  const providers = changesOf(old.providers, file.providers);
  return {
    ...checked,
    changes: models.slice(0, changesMax).map(({ before: one, after: other, ...change }) => ({
      ...change,
      before: one === undefined ? null : termsOf(one),
      after: other === undefined ? null : termsOf(other),
    })),
    provider_changes: providers.slice(0, changesMax).map(({ id, change, fields }) => ({ id, change, fields })),
    other_changes: changedKeys(othersOf(old), othersOf(file)),
    truncated: models.length > changesMax || providers.length > changesMax,
  };
}

function othersOf({ models: _models, providers: _providers, ...others }: CatalogFile) {
  return others;
}

interface Change<Entry> {
  id: string;
  change: Schemas["CatalogChangeKind"];
  fields: string[];
  before: Entry | undefined;
  after: Entry | undefined;
}

function changesOf<Entry extends { id: string }>(before: readonly Entry[], after: readonly Entry[]): Change<Entry>[] {
  const [old, now] = [new Map(before.map((one) => [one.id, one])), new Map(after.map((one) => [one.id, one]))];
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((id): Change<Entry>[] => {
    const [one, other] = [old.get(id), now.get(id)];
    if (one === undefined) return [{ id, change: "added", fields: [], before: one, after: other }];
    if (other === undefined) return [{ id, change: "removed", fields: [], before: one, after: other }];
    const fields = changedKeys(one, other);
    return fields.length === 0 ? [] : [{ id, change: "changed", fields, before: one, after: other }];
  });
}

function changedKeys(before: object, after: object): string[] {
  const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => !isDeepStrictEqual(one[key], other[key])).sort();
}

const routesMax = 1000;

function termsOf(model: FileModel): Terms {
  const { state, pricing, routes = [] } = model;
  const compared = pricing === undefined ? [] : comparedPrices(pricing, model);
  return {
    state: state?.retired ? "retired" : state?.paused ? "paused" : "active",
    pricing: pricing === undefined ? null : { ...pricing },
    routes: routes.slice(0, routesMax).map((route) => `${route.provider}/${route.model}`),
    margins: compared.slice(0, routesMax).map(({ routeId, key, price, cost }) => ({
      ...{ route: routeId, unit: key, price_usd: price, cost_usd: cost },
      margin_usd: Number((price - cost).toFixed(12)),
    })),
  };
}

// The text without secrets. The file names variables for them; a header may still hold one as it is.

/** In place of a value that is not shown. */
export const hiddenText = "(hidden)";

/** Headers' values are replaced unless they are names of variables, which may follow the name of a scheme. */
export function textWithoutSecrets(text: string): string {
  const document = parseDocument(text, { prettyErrors: false });
  const found: [from: number, to: number][] = [];
  const follow = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const hide = (given: unknown) => {
    const node = follow(given);
    if (isScalar(node) && typeof node.value === "string" && isHarmless(node.value)) return;
    const range = (node as Node | null | undefined)?.range;
    if (range) found.push([range[0], range[1]]);
  };
  const providers = follow(document.get("providers", true));
  for (const entry of isSeq(providers) ? providers.items : []) {
    const provider = follow(entry);
    const headers = isMap(provider) ? follow(provider.get("headers", true)) : undefined;
    for (const { value } of isMap(headers) ? headers.items : []) hide(value);
  }
  return [...new Map(found.map((range) => [range[0], range])).values()]
    .sort(([one], [other]) => other - one)
    .reduce((shown, [from, to]) => shown.slice(0, from) + JSON.stringify(hiddenText) + shown.slice(to), text);
}

function isHarmless(value: string): boolean {
  return /^(?:(?:Bearer|Basic|Key|Token) )?\$\{\w+\}$/i.test(value);
}
