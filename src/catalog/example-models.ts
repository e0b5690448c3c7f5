// Which models examples name: the documentation, the contract and the start's banner are written with the shipped catalog's names;
// here those become names of the catalog that is served.
import type { Catalog, Model } from "./types.ts";

type Kind = Pick<Model, "type" | "capability" | "freeTier">;

/** What `best` of the shipped catalog is. */
const chat: Kind = { type: "language", capability: null, freeTier: false };

/** A name to send as `model`: the preferred one where it means such a model, else the id of one; undefined where none is served. */
export function exampleModel(catalog: Catalog, kind: Kind = chat, preferred = "best"): string | undefined {
  if (serves(catalog, preferred, kind)) return preferred;
  const all = activeOf(catalog, kind);
  return (all.find(({ freeTier }) => freeTier === kind.freeTier) ?? all[0])?.id;
}

/** What replaces a name. */
export interface StandIn {
  /** Null where no model of its kind is served. */
  name: string | null;
  /** The name of the kind for readers: "image", "music". */
  kind: string;
}

/**
 * For each id and alias of `shown`, the name that replaces it in examples when `served` is the catalog. Two different ids stay
 * different while there are models enough.
 */
export function standIns(shown: Catalog, served: Catalog): ReadonlyMap<string, StandIn> {
  const ids = [...shown.models.values()];
  const taken = new Set(ids.filter((model) => serves(served, model.id, model)).map(({ id }) => id));
  const standInOf = (model: Model): string | null => {
    if (serves(served, model.id, model) || (!isActive(model) && served.models.has(model.id))) return model.id;
    if (model.type === "decisions") return null; // the contract knows one name alone
    const alike = activeOf(served, model).sort((a, b) => likeness(b, model) - likeness(a, model));
    const chosen = alike.find(({ id }) => !taken.has(id)) ?? alike[0];
    if (chosen !== undefined) taken.add(chosen.id);
    return chosen?.id ?? null;
  };
  const kindOf = ({ capability, type }: Model) => capability ?? type;
  return new Map<string, StandIn>([
    ...ids.map((model) => [model.id, { name: standInOf(model), kind: kindOf(model) }] as const),
    ...[...shown.aliases].map(([alias, id]) => {
      const model = shown.models.get(id) as Model;
      return [alias, { name: exampleModel(served, model, alias) ?? null, kind: kindOf(model) }] as const;
    }),
  ]);
}

function serves({ aliases, models }: Catalog, name: string, kind: Kind): boolean {
  const model = models.get(aliases.get(name) ?? name);
  return model !== undefined && isActive(model) && isOfKind(model, kind);
}

function activeOf({ models }: Catalog, kind: Kind): Model[] {
  return [...models.values()].filter((model) => isActive(model) && isOfKind(model, kind));
}

function isActive({ state }: Model): boolean {
  return state.kind === "active";
}

function isOfKind(model: Model, { type, capability }: Kind): boolean {
  return model.type === type && model.capability === capability;
}

/** How much of what examples need of one model another one can do. */
function likeness(one: Model, other: Model): number {
  const same = [
    one.freeTier === other.freeTier,
    one.voiceFamily === other.voiceFamily,
    one.media.requiresImage === other.media.requiresImage,
    ...(["tools", "structuredOutputs", "reasoning", "vision"] as const).map((what) => one.supports[what] || !other.supports[what]),
  ];
  return same.filter(Boolean).length;
}
