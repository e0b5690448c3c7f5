// Finds the faults that no schema can: names that must exist or must be unique, and values that depend on each other. Runs on what
// fits the schema; prices.ts checks prices.
import { serverToolNames, serverTools } from "../usage.ts";
import type { CatalogFile, Fault, FileModel, FileProvider, Path } from "./file.ts";
import { decimalFaults, kindOf, priceFaults } from "./prices.ts";
import { providerFaults } from "./provider.ts";
import { costFaults } from "./route-cost.ts";

/** `unread`: of these only the ids are known. */
export function catalogFaults(file: CatalogFile, unread: Names["unread"] = new Set()): Fault[] {
  const models = new Map(file.models.map((model) => [model.id, model]));
  const providers = new Map(file.providers.map((provider) => [provider.id, provider]));
  const aliases = new Map(Object.entries(file.aliases ?? {}));
  const names = { models, providers, aliases, unread };
  return [
    ...duplicates(file.providers, "providers"),
    ...file.providers.flatMap((provider, index) => (unread.has(provider) ? [] : providerFaults(provider, ["providers", index]))),
    ...duplicates(file.models, "models"),
    ...file.models.flatMap((model, index) => (unread.has(model) ? [] : modelFaults(model, ["models", index], names))),
    ...aliasFaults(aliases, models),
    ...defaultFaults(file.defaults ?? {}, names),
    ...freeTierFaults(file),
  ];
}

interface Names {
  models: ReadonlyMap<string, FileModel>;
  providers: ReadonlyMap<string, FileProvider>;
  aliases: ReadonlyMap<string, string>;
  unread: ReadonlySet<FileProvider | FileModel>;
}

function duplicates(entries: readonly { id: string }[], key: string): Fault[] {
  const first = new Map<string, number>();
  return entries.flatMap(({ id }, index) => {
    if (first.has(id)) return [{ path: [key, index, "id"], message: `"${id}" is already ${key}[${first.get(id)}]` }];
    first.set(id, index);
    return [];
  });
}

function modelFaults(model: FileModel, path: Path, names: Names): Fault[] {
  const kind = kindOf(model);
  const neverServed = model.type === "realtime" || model.type === "audio-understanding";
  const faults: Fault[] = [...priceFaults(model, path), ...costFaults(model, path), ...stateFaults(model, path, names)];
  if (!neverServed && !model.state?.paused && !model.state?.retired && (model.routes ?? []).length === 0)
    faults.push({ path, message: "has no routes, so nothing can serve it" });
  model.routes?.forEach((route, index) => {
    const provider = names.providers.get(route.provider);
    const at = [...path, "routes", index, "provider"];
    if (provider === undefined) faults.push({ path: at, message: `there is no provider "${route.provider}"` });
    else if (names.unread.has(provider)) return;
    else if (!(protocolsOf[model.type] ?? [provider.protocol]).includes(provider.protocol))
      faults.push({ path: at, message: `"${route.provider}" speaks ${provider.protocol}, over which no ${kind} model can be served` });
    else if (model.supports_variations === true && !openaiProtocols.includes(provider.protocol))
      faults.push({ path: at, message: `"${route.provider}" speaks ${provider.protocol}, over which no variations can be had` });
    const native = provider !== undefined && model.type === "language" && openaiProtocols.includes(provider.protocol);
    if (route.completions === true && !native)
      faults.push({ path: [...path, "routes", index, "completions"], message: "belongs to language models over openai and azure-openai" });
  });
  model.fallbacks?.forEach((id, index) => {
    const at = [...path, "fallbacks", index];
    const other = names.models.get(id);
    if (other === undefined)
      faults.push({
        path: at,
        message: `there is no model "${id}"${names.aliases.has(id) ? "; an alias can't be a fallback" : ""}`,
      });
    else if (id === model.id) faults.push({ path: at, message: "a model can't be its own fallback" });
    else if (!names.unread.has(other) && kindOf(other) !== kind)
      faults.push({ path: at, message: `"${id}" is a ${kindOf(other)} model, this one is ${kind}` });
  });
  model.tags?.forEach((tag, index) => {
    if (unsetTags.has(tag))
      faults.push({ path: [...path, "tags", index], message: `"${tag}" is unset on every model, so "${model.id}" can't have it` });
  });
  if (model.image_tokens_max !== undefined && model.type !== "language")
    faults.push({ path: [...path, "image_tokens_max"], message: "belongs to language models only" });
  if (model.route_by !== undefined && protocolsOf[model.type] === undefined)
    faults.push({ path: [...path, "route_by"], message: "belongs to models billed by token only" });
  if (model.withheld !== undefined && (model.type !== "image" || model.extra_keys !== undefined))
    faults.push({ path: [...path, "withheld"], message: "belongs to image models without extra_keys: all others read only those" });
  if (model.capability !== undefined && model.type !== "speech")
    faults.push({ path: [...path, "capability"], message: "belongs to speech models only" });
  for (const key of ["release_date", "retires_on"] as const) {
    if (model[key] != null && !isDay(model[key])) faults.push({ path: [...path, key], message: "is not a day of the calendar" });
  }
  return [...faults, ...mediaFaults(model, path)];
}

/** Tags of the closed list that no model may carry yet. */
const unsetTags: ReadonlySet<string> = new Set(["fast", "implicit-caching", "explicit-caching"]);

/** The protocols over which each type of text model can be called; media types take several (docs/behaviour/providers.md#protocols). */
const protocolsOf: Partial<Record<FileModel["type"], readonly FileProvider["protocol"][]>> = {
  language: ["openai", "anthropic", "bedrock", "gemini", "cohere", "azure-openai", "vertex"],
  embedding: ["openai", "bedrock", "gemini", "cohere", "azure-openai", "vertex"],
  decisions: ["openai", "azure-openai"],
  reranking: ["rerank", "bedrock", "cohere"],
};

/** Those that have endpoints for variations and for text completions (docs/behaviour/providers.md#protocols). */
const openaiProtocols: readonly FileProvider["protocol"][] = ["openai", "azure-openai"];

/** What a provider reports and the file does not price, so that it counts as less than it may be. No fault: it may be meant. */
export function gapWarnings({ models, providers }: CatalogFile): Fault[] {
  const protocols = new Map(providers.map(({ id, protocol }) => [id, protocol]));
  return models.flatMap((model, index): Fault[] => {
    const { id, type, pricing, routes = [], state } = model;
    if (type !== "language" || state?.retired) return [];
    const path = ["models", index];
    const writes = routes.filter((route) => reportsWrites(protocols.get(route.provider), route.model));
    const unpriced = pricing?.mode === "per-token" && pricing.cache_write === undefined && pricing.input > 0 ? writes[0] : undefined;
    const ofPrice = `${id} has no cache_write: what ${unpriced?.provider}/${unpriced?.model} writes to its cache is sold at the price of input`;
    return [
      ...(unpriced === undefined ? [] : [{ path: [...path, "pricing"], message: ofPrice }]),
      ...routes.flatMap((route, place) =>
        gapsOf(model, route, writes.includes(route)).map((message) => ({ path: [...path, "routes", place, "cost"], message })),
      ),
    ];
  });
}

type FileRoute = NonNullable<FileModel["routes"]>[number];

/** Of a route's cost; one that names no token's leaves all of them open. */
function gapsOf({ id, pricing }: FileModel, { cost }: FileRoute, writes: boolean): string[] {
  if (cost === undefined || (cost.input === undefined && cost.output === undefined)) return [];
  const { input, output, cache_write: write } = cost;
  const sold =
    pricing?.mode === "per-token" ? serverToolNames.map((tool) => serverTools[tool].price).filter((key) => pricing[key] !== undefined) : [];
  const gaps = {
    ...{ input: input === undefined, output: output === undefined },
    ...Object.fromEntries(sold.map((key) => [key, cost[key] === undefined])),
  };
  const free = Object.entries(gaps).flatMap(([key, missing]) => (missing ? [`${key}, so that it costs nothing`] : []));
  const asInput = writes && write === undefined && input !== 0 ? ["cache_write, so that it costs what input costs"] : [];
  return [...free, ...asInput].map((gap) => `the cost of ${id} at this route names no ${gap}`);
}

/** Anthropic's models, wherever they are: such tokens cost more than input there. Other vendors report none, or charge them as input. */
function reportsWrites(protocol: FileProvider["protocol"] | undefined, model: string): boolean {
  switch (protocol) {
    case "anthropic":
      return true;
    case "vertex":
      return /^(?:anthropic\/|claude)/.test(model);
    case "bedrock":
      return /(?:^|[./])anthropic\./.test(model);
    default:
      return false;
  }
}

function stateFaults({ state }: FileModel, path: Path, names: Names): Fault[] {
  if (state === undefined) return [];
  const faults: Fault[] = [];
  if (state.paused && state.retired) faults.push({ path: [...path, "state"], message: "is either paused or retired" });
  if (state.replacement !== undefined) {
    const at = [...path, "state", "replacement"];
    if (!state.retired) faults.push({ path: at, message: "belongs to retired models only" });
    const id = names.aliases.get(state.replacement) ?? state.replacement;
    if (!names.models.has(id)) faults.push({ path: at, message: `there is no model "${state.replacement}"` });
  }
  return faults;
}

function mediaFaults(model: FileModel, path: Path): Fault[] {
  const faults: Fault[] = [];
  const { sizes, default_aspect: aspect, durations, default_duration_s: seconds } = model;
  for (const name of Object.keys(sizes ?? {})) {
    if (!/^[1-9]\d{0,3}:[1-9]\d{0,3}$/.test(name))
      faults.push({ path: [...path, "sizes", name], message: `"${name}" is no aspect ratio such as 16:9` });
  }
  const fallsBackTo = aspect ?? defaultAspect;
  if (sizes !== undefined && sizes[fallsBackTo] === undefined)
    faults.push({ path: [...path, "sizes"], message: `has no size for the default aspect ${fallsBackTo}` });
  if (seconds !== undefined && durations !== undefined && durations.length > 0 && !durations.includes(seconds))
    faults.push({ path: [...path, "default_duration_s"], message: "is not one of durations" });
  if (model.requires_image === true && model.max_references === 0)
    faults.push({ path: [...path, "max_references"], message: "is 0, but the model requires an image" });
  if (model.supports_variations === true && model.type !== "image")
    faults.push({ path: [...path, "supports_variations"], message: "belongs to image models only" });
  if (model.supports_variations === true && model.max_references === 0)
    faults.push({ path: [...path, "max_references"], message: "is 0, but a variation has an image" });
  return faults;
}

export const defaultAspect = "1:1";

function aliasFaults(aliases: Names["aliases"], models: Names["models"]): Fault[] {
  return [...aliases].flatMap(([name, id]) => {
    const path = ["aliases", name];
    if (!/^[!-~]{1,200}$/.test(name))
      return [{ path, message: "an alias has 1 to 200 printable ASCII characters without spaces, since headers carry it" }];
    if (models.has(name)) return [{ path, message: `"${name}" is the id of a model` }];
    if (models.has(id)) return [];
    return [{ path, message: aliases.has(id) ? `"${id}" is an alias itself; name its model` : `there is no model "${id}"` }];
  });
}

function defaultFaults(defaults: NonNullable<CatalogFile["defaults"]>, { models, unread }: Names): Fault[] {
  return Object.entries(defaults).flatMap(([kind, id]) => {
    const path = ["defaults", kind];
    const model = models.get(id);
    if (model === undefined) return [{ path, message: `there is no model "${id}"` }];
    const wanted = kind === "speech" ? "text-to-speech" : kind;
    return unread.has(model) || kindOf(model) === wanted ? [] : [{ path, message: `"${id}" is a ${kindOf(model)} model, not ${wanted}` }];
  });
}

function freeTierFaults({ free_tier: limits = {} }: CatalogFile): Fault[] {
  return Object.entries(limits).flatMap(([key, usd]) =>
    decimalFaults(usd, key === "input" || key === "output" ? 6 : 12, ["free_tier", key]),
  );
}

function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
