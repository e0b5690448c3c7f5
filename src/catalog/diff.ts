// What one catalog file changes against another: models that come, go or cost otherwise, each figure with the cost of its dearest route.
import type { CatalogFile, FileModel } from "./file.ts";
import { dearestCost, type CostKey, pricesOf } from "./route-cost.ts";

export interface FigureChange {
  key: CostKey;
  /** In the units of `pricing`; null: there was no such price, or there is none any more. */
  before: number | null;
  after: number | null;
  /** What the dearest route costs afterwards; null: no route says so. */
  cost: number | null;
}

export interface ModelChange {
  id: string;
  change: "added" | "removed" | "changed";
  figures: FigureChange[];
}

/** In the order of `after`, what goes at the end. A change that is not of a price has no figures. */
export function compareCatalogs(before: Pick<CatalogFile, "models">, after: Pick<CatalogFile, "models">): ModelChange[] {
  const old = new Map(before.models.map((model) => [model.id, model]));
  const kept = new Set(after.models.map(({ id }) => id));
  return [
    ...after.models.flatMap((model): ModelChange[] => {
      const was = old.get(model.id);
      if (was !== undefined && JSON.stringify(was) === JSON.stringify(model)) return [];
      return [{ id: model.id, change: was === undefined ? "added" : "changed", figures: figuresOf(was, model) }];
    }),
    ...before.models.flatMap((model): ModelChange[] =>
      kept.has(model.id) ? [] : [{ id: model.id, change: "removed", figures: figuresOf(model, undefined) }],
    ),
  ];
}

function figuresOf(before: FileModel | undefined, after: FileModel | undefined): FigureChange[] {
  const [old, now] = [before, after].map((model) => (model?.pricing === undefined ? {} : pricesOf(model.pricing)));
  const keys = [...new Set([...Object.keys(old!), ...Object.keys(now!)])] as CostKey[];
  return keys.flatMap((key): FigureChange[] => {
    const [was, is] = [old![key] ?? null, now![key] ?? null];
    return was === is ? [] : [{ key, before: was, after: is, cost: after === undefined ? null : dearestCost(after, key) }];
  });
}
