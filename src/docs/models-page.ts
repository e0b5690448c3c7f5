// /docs/models: the models of the catalog in use and what they cost, by type, and the aliases that stand for them. The prices are those in
// force when the page is made; a changed catalog has pages of its own.
import { priceChangePage, priceDifferences } from "../catalog/price-history.ts";
import type { Catalog, Model, PriceChange, Pricing, TokenPricing } from "../catalog/types.ts";
import { exactUsdText, million, type Price } from "../money.ts";
import type { Page } from "./types.ts";

/** In reading order; a type that is missing here comes last, under its own name. */
const titles: Record<string, string> = {
  language: "Language",
  embedding: "Embeddings",
  reranking: "Reranking",
  decisions: "Decisions",
  image: "Images",
  video: "Videos",
  "text-to-speech": "Speech",
  transcription: "Transcription",
  music: "Music",
  sfx: "Sound effects",
};

export function modelsPage(catalog: Catalog): Page {
  return {
    path: "models",
    title: "Models and prices",
    summary: "Every model that this gateway serves now, with its context window and its price.",
    blocks: () => [
      "Prices are in US dollars. [`GET /v1/models`](/docs/api/listModels) and [`GET /v1/pricing`](/docs/api/getPricing) answer the same as JSON, without a key. A model of the free tier needs no paid credit ([Credit](/docs/credits)); what a failed call costs is in [Billing on failure](/docs/guides/billing-on-failure).",
      ...groupsOf(catalog.listed).map(([title, models]) => `## ${title}\n\n${tableOf(models, sinceOf(catalog))}`),
      ...aliases(catalog),
      ...changes(catalog),
    ],
  };
}

/** By capability, which for all but speech models is the type. */
function groupsOf(models: readonly Model[]): [title: string, models: Model[]][] {
  const groups = Map.groupBy(models, ({ row }) => row.capability);
  const known = Object.keys(titles).filter((kind) => groups.has(kind));
  const others = [...groups.keys()].filter((kind) => !(kind in titles));
  return [...known, ...others].map((kind) => [titles[kind] ?? kind, groups.get(kind) as Model[]]);
}

/** The day of each model's last change of price; null: no history is known. */
type Since = ReadonlyMap<string, string> | null;

function sinceOf({ priceChanges }: Catalog): Since {
  if (priceChanges.length === 0) return null;
  return new Map(priceChanges.toReversed().map(({ model, at }) => [model, dayOf(at)]));
}

function dayOf(time: string): string {
  return time.slice(0, "2026-11-21".length);
}

function tableOf(models: readonly Model[], since: Since): string {
  const sinceHead = since === null ? [] : ["Since"];
  const sinceCell = ({ id }: Model) => (since === null ? [] : [since.get(id) ?? ""]);
  const isTokens = models.every(({ pricing }) => pricing.mode === "per-token");
  const hasOutput = models.some(({ pricing }) => pricing.mode === "per-token" && pricing.output > 0n);
  if (!isTokens)
    return rows(
      ["Model", "Price", ...sinceHead, "About"],
      models.map((model) => [nameOf(model), priceText(model.pricing), ...sinceCell(model), aboutOf(model)]),
    );
  const heads = ["Model", "Context", "Input", ...(hasOutput ? ["Output", "Cached input"] : []), ...sinceHead, "About"];
  const table = rows(
    heads,
    models.map((model) => {
      const { input, output, cached } = model.pricing as TokenPricing;
      const prices = hasOutput ? [perMillion(input), perMillion(output), cached === null ? "" : perMillion(cached)] : [perMillion(input)];
      return [nameOf(model), tokens(model.contextWindow), ...prices, ...sinceCell(model), aboutOf(model)];
    }),
  );
  return `Prices of a million tokens.\n\n${table}`;
}

function rows(heads: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (all: readonly string[]) => `| ${all.join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...cells.map((row) => line(row.map(inCell)))].join("\n");
}

/** A catalog's texts are its operator's: no bar, line or mark of theirs breaks the table. */
function inCell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}

function nameOf({ id, row }: Model): string {
  return `\`${id}\` ${plain(row.name)}`;
}

function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#]|:(?=\/\/)/g, (mark) => `\\${mark}`);
}

function aboutOf({ row, pricing, listPricing, freeTier, supports }: Model): string {
  const can = [
    ...(supports.vision ? ["images"] : []),
    ...(supports.tools ? ["tools"] : []),
    ...(supports.structuredOutputs ? ["schemas"] : []),
    ...(supports.reasoning ? ["thinking"] : []),
  ];
  const notes = [
    ...(row.best_for === "" ? [] : [plain(row.best_for)]),
    ...(can.length === 0 ? [] : [`Supports ${can.join(", ")}`]),
    ...(freeTier ? ["**Free tier**"] : []),
    ...(row.promotion === null
      ? []
      : [`Promotion ${plain(row.promotion.label)}${pricing === listPricing ? "" : `, else ${priceText(listPricing)}`}`]),
    ...(pricing.mode === "per-token" ? tokenNotes(pricing) : []),
    ...(row.retires_on === null ? [] : [`Leaves on ${row.retires_on}`]),
  ];
  return notes.map((note) => `${note}.`).join(" ");
}

function tokenNotes({
  input,
  cacheWrite,
  longContext,
  perRequest,
  serverTools,
  serviceTiers,
  batch,
  responseCache,
}: TokenPricing): string[] {
  return [
    ...(cacheWrite === input ? [] : [`Cache writes ${perMillion(cacheWrite)}`]),
    ...(longContext === null
      ? []
      : [`Above ${tokens(longContext.above)} tokens: input ${perMillion(longContext.input)}, output ${perMillion(longContext.output)}`]),
    ...(perRequest === 0n ? [] : [`${usd(perRequest * 10_000n)} a request`]),
    ...(serverTools.web_search === undefined ? [] : [`${usd(serverTools.web_search.each)} a web search`]),
    ...(serverTools.web_fetch === undefined ? [] : [`${usd(serverTools.web_fetch.each)} a fetch from the web`]),
    ...[...serviceTiers].map(([tier, millionths]) => `Service tier \`${tier}\` ${Number(millionths) / 1_000_000} x`),
    ...(batch === null ? [] : [`In batches ${Number(batch) / 1_000_000} x`]),
    ...(responseCache === null ? [] : [`Kept answers ${Number(responseCache) / 1_000_000} x`]),
  ];
}

function priceText(pricing: Pricing): string {
  switch (pricing.mode) {
    case "per-token":
      return `input ${perMillion(pricing.input)}, output ${perMillion(pricing.output)}`;
    case "per-image":
      return `${usd(pricing.perImage)} an image`;
    case "per-quality":
      return `${(["low", "medium", "high"] as const).map((quality) => `${quality} ${usd(pricing[quality])}`).join(", ")} an image`;
    case "per-megapixel":
      return `${usd(pricing.base)} an image, ${usd(pricing.extraPerMegapixel)} for each megapixel beyond the first`;
    case "per-second":
      return `${usd(pricing.perSecond)} a second`;
    case "per-minute":
      return `${usd(pricing.perMinute)} a minute${pricing.minBillableMinutes > 0 ? `, at least ${pricing.minBillableMinutes} min` : ""}`;
    case "per-1k-chars":
      return `${usd(pricing.perCharacter * 1_000n)} for 1,000 characters`;
    case "per-song":
      return `${usd(pricing.perSong)} a song`;
    case "per-call":
      return `${usd(pricing.perCall)} a call`;
  }
}

function perMillion(price: Price): string {
  return usd(price * million);
}

/** With cents at least. */
function usd(price: Price): string {
  const [whole = "0", decimals = ""] = exactUsdText(price).split(".");
  return `$${whole}.${decimals.padEnd(2, "0")}`;
}

function tokens(count: number): string {
  return count === 0 ? "" : count.toLocaleString("en-US");
}

function aliases({ aliases: all, listed }: Catalog): string[] {
  const shown = [...all].filter(([, id]) => listed.some((model) => model.id === id));
  if (shown.length === 0) return [];
  const table = rows(["Alias", "Model now"], shown.map(([alias, id]) => [`\`${alias}\``, `\`${id}\``])); // prettier-ignore
  return [
    `## Aliases\n\nAn alias names a model by its purpose. What it points to may change; answers say it in \`x-svc-model\`.\n\n${table}`,
  ];
}

const changesShown = 20;

/** Of prices that were others before: a model that is new has its day in its table. */
function changes(catalog: Catalog): string[] {
  const { data } = priceChangePage(catalog, { limit: Number.MAX_SAFE_INTEGER });
  const shown = data.filter(({ before, after }) => before !== null && after !== null).slice(0, changesShown);
  if (shown.length === 0) return [];
  const table = rows(["Day", "Model", "Change"], shown.map((change) => [dayOf(change.at), `\`${change.model}\``, changeText(change)])); // prettier-ignore
  return [
    `## Changes of prices\n\nThe last ones, in US dollars; days are UTC. [\`GET /v1/pricing/history\`](/docs/api/listPriceChanges) lists all of them. A request pays the prices that it began with.\n\n${table}`,
  ];
}

function changeText({ before, after }: PriceChange): string {
  return priceDifferences(before, after)
    .map((one) => `\`${one.key}\` ${plain(one.before ?? "none")} → ${plain(one.after ?? "none")}`)
    .join(", ");
}
