// Reads public price lists: LiteLLM's file, one flat object, and those shaped as models.dev's, an object of vendors. Of a list only what
// can be sold as it is priced there is taken; what is left out is counted by its reason. A price that is lower at some hours is taken as it
// is at the others: what is sold by it never costs more.
import type { FileRouteCost } from "../file.ts";
import { tierFaults } from "../prices.ts";
import type { Vendor } from "./vendors.ts";

export interface ListedModel {
  /** The vendor's own id. */
  id: string;
  /** What it is sold by, behind the vendor's name; absent: its id. */
  soldAs?: string;
  name?: string;
  type: "language" | "embedding" | "transcription";
  contextWindow?: number;
  outputMax?: number;
  cost: FileRouteCost;
  tools: boolean;
  structuredOutputs: boolean;
  reasoning: boolean;
  reasoningAlwaysOn: boolean;
  adaptiveThinking: boolean;
  /** Besides text. */
  reads: ("image" | "file")[];
  /** YYYY-MM-DD. */
  released?: string;
  retires?: string;
  /** The page that the prices come from. */
  source?: string;
}

interface ListRead {
  models: ListedModel[];
  /** Why others were left out, with how many. */
  leftOut: Map<string, number>;
}

type Json = Record<string, unknown>;

/** Undefined: the value is neither kind of list, or names no model of the vendor. `today` is a day, YYYY-MM-DD. */
export function readPriceList(list: unknown, vendor: Vendor, today: string): ListRead | undefined {
  if (!isObject(list)) return undefined;
  const ofVendor = list[vendor.modelsDev];
  if (isObject(ofVendor) && isObject(ofVendor["models"])) return select(Object.entries(ofVendor["models"]).map(fromModelsDev), today);
  const names = [vendor.litellm].flat();
  const rows = Object.entries(list).filter(([, row]) => isObject(row) && names.includes(row["litellm_provider"] as string));
  const keys = new Set(rows.map(([key]) => key));
  return rows.length === 0
    ? undefined
    : select(
        rows.map((row) => fromLitellm(row, vendor, keys)),
        today,
      );
}

/** A row, or why it can't be sold. */
type Row = ListedModel | { id: string; leftOut: string };

/** USD per million tokens; a list once gave a price per thousand as one per token. */
const dearestEmbedding = 10;

/** One name for each model: a dated snapshot and `-latest` are left out beside the name that they stand for. */
function select(rows: readonly Row[], today: string): ListRead {
  const models = new Map<string, ListedModel>();
  const leftOut = new Map<string, number>();
  const count = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  const ids = new Set(rows.map(({ id }) => id));
  for (const row of rows) {
    const lasting = row.id.replace(/-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$/, "");
    if ("leftOut" in row) count(row.leftOut);
    else if (lasting !== row.id && ids.has(lasting)) count("another name of a listed model");
    else if (row.retires !== undefined && row.retires <= today) count("retired by its vendor");
    else if (!/^[!-~]{1,180}$/.test(row.id) || /^ft:|preview|beta|experimental|-exp\b/.test(row.id)) count("a preview or a fine-tune");
    else if (!models.has(row.id)) models.set(row.id, row);
  }
  return { models: [...models.values()], leftOut };
}

const perMillion = (usd: unknown): number | undefined => (typeof usd === "number" ? Number((usd * 1e6).toFixed(6)) : undefined);

function fromLitellm([key, value]: [string, unknown], vendor: Vendor, keys: ReadonlySet<string>): Row {
  const row = value as Json;
  const prefix = `${[vendor.litellm].flat()[0]}/`;
  const named = vendor.named === undefined ? { id: key.startsWith(prefix) ? key.slice(prefix.length) : key } : vendor.named(key, keys, row);
  if (named === null) return { id: key, leftOut: "of another region, or not called so" };
  const { id } = named;
  if (vendor.namesPages && typeof row["source"] !== "string") return { id, leftOut: "without a page that it is priced on" };
  const common = {
    ...named,
    ...{ tools: false, structuredOutputs: false, reasoning: false, reasoningAlwaysOn: false, adaptiveThinking: false },
    reads: [] as ListedModel["reads"],
    ...(typeof row["deprecation_date"] === "string" ? { retires: row["deprecation_date"] } : {}),
    ...(typeof row["source"] === "string" ? { source: row["source"] } : {}),
  };
  const window = numberOf(row["max_input_tokens"]);
  switch (row["mode"]) {
    case "embedding": {
      const input = perMillion(row["input_cost_per_token"]);
      if (!input) return { id, leftOut: "no price per token" };
      if (input > dearestEmbedding) return { id, leftOut: "a price that can't be right" };
      return { ...common, type: "embedding", cost: { input }, ...(window === undefined ? {} : { contextWindow: window }) };
    }
    case "audio_transcription": {
      const second = numberOf(row["input_cost_per_second"]);
      if (second === undefined || second === 0) return { id, leftOut: "no price per minute" };
      return { ...common, type: "transcription", cost: { per_minute: Number((second * 60).toFixed(12)) } };
    }
    case "chat":
      break;
    default:
      return { id, leftOut: "a kind that is not imported" };
  }
  const endpoints = row["supported_endpoints"];
  if (Array.isArray(endpoints) && !endpoints.includes("/v1/chat/completions") && !endpoints.includes("/v1/messages"))
    return { id, leftOut: "not served by the chat endpoint" };
  const [input, output] = [perMillion(row["input_cost_per_token"]), perMillion(row["output_cost_per_token"])];
  const outputMax = numberOf(row["max_output_tokens"]);
  if (!input || output === undefined || window === undefined || outputMax === undefined)
    return { id, leftOut: "no price per token, or no limits" };
  if (
    row["output_cost_per_image_token"] !== undefined ||
    (row["output_cost_per_reasoning_token"] ?? row["output_cost_per_token"]) !== row["output_cost_per_token"] ||
    row["supports_audio_output"] === true ||
    id.includes("search")
  )
    return { id, leftOut: "priced by more than its tokens" };
  return {
    ...common,
    type: "language",
    contextWindow: window,
    outputMax,
    cost: withTiers({ input, output, ...cacheCosts(row), ...longCosts(row, window) }, row),
    tools: row["supports_function_calling"] === true,
    structuredOutputs: row["supports_response_schema"] === true,
    reasoning: row["supports_reasoning"] === true,
    reasoningAlwaysOn:
      row["supports_reasoning"] === true && (row["thinking_always_on"] === true || row["supports_none_reasoning_effort"] === false),
    adaptiveThinking: row["supports_adaptive_thinking"] === true || (vendor.thinksByLevels?.test(id) ?? false),
    reads: [
      ...(row["supports_vision"] === true ? ["image" as const] : []),
      ...(row["supports_pdf_input"] === true ? ["file" as const] : []),
    ],
  };
}

function cacheCosts(row: Json, suffix = ""): Pick<FileRouteCost, "cached" | "cache_write" | "cache_write_1h"> {
  return defined({
    cached: perMillion(row[`cache_read_input_token_cost${suffix}`]),
    cache_write: perMillion(row[`cache_creation_input_token_cost${suffix}`]),
    cache_write_1h: perMillion(row[`cache_creation_input_token_cost_above_1hr${suffix}`]),
  });
}

/** `input_cost_per_token_above_200k_tokens` and its like. */
function longCosts(row: Json, window: number): Pick<FileRouteCost, "long_context"> {
  for (const key of Object.keys(row)) {
    const thousands = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(key)?.[1];
    if (thousands === undefined) continue;
    const suffix = `_above_${thousands}k_tokens`;
    const [input, output] = [perMillion(row[key]), perMillion(row[`output_cost_per_token${suffix}`])];
    const above = Number(thousands) * 1_000;
    if (input !== undefined && output !== undefined && above < window)
      return { long_context: { above, input, output, ...cacheCosts(row, suffix) } };
  }
  return {};
}

/** `input_cost_per_token_flex` and its like. */
function withTiers(cost: FileRouteCost, row: Json): FileRouteCost {
  const { long_context: long = {}, ...usual } = cost;
  const figures = [...Object.values(usual), ...Object.values(long)].filter((usd) => typeof usd === "number");
  const tiers = ["flex", "priority"].flatMap((tier) => {
    const multiple = multipleOf(row, tier);
    return multiple === undefined || tierFaults({ [tier]: multiple }, figures, []).length > 0 ? [] : [[tier, multiple] as const];
  });
  return tiers.length === 0 ? cost : { ...cost, service_tiers: Object.fromEntries(tiers) };
}

const ownFigures = [
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
  "cache_creation_input_token_cost_above_1hr",
];

/** Undefined where a tier has no one multiple: a price for some of the figures alone, or one that is dearer than the multiple makes it. */
function multipleOf(row: Json, tier: string): number | undefined {
  const of = (key: string) => {
    const [usual, own = Infinity] = [numberOf(row[key]), numberOf(row[`${key}_${tier}`])];
    return usual ? Number((own / usual).toFixed(6)) : undefined;
  };
  const [input, output, ...caches] = ownFigures.map(of);
  const long = Object.keys(row).flatMap((key) => (key.endsWith(`_tokens_${tier}`) ? [of(key.slice(0, -tier.length - 1))] : []));
  const isOne = input !== undefined && Number.isFinite(input) && input === output;
  return isOne && [...caches, ...long].every((multiple = 0) => multiple <= input) ? input : undefined;
}

/** Prices are USD per million tokens there. */
function fromModelsDev([key, value]: [string, unknown]): Row {
  const row = objectOf(value);
  const id = typeof row["id"] === "string" ? row["id"] : key;
  const [cost, limit, modalities] = [objectOf(row["cost"]), objectOf(row["limit"]), objectOf(row["modalities"])];
  const [input, output] = [numberOf(cost["input"]), numberOf(cost["output"])];
  const [contextWindow, outputMax] = [numberOf(limit["context"]), numberOf(limit["output"])];
  const reads = Array.isArray(modalities["input"]) ? modalities["input"] : ["text"];
  const writes = Array.isArray(modalities["output"]) ? modalities["output"] : ["text"];
  if (writes.some((modality) => modality !== "text")) return { id, leftOut: "priced by more than its tokens" };
  if (!input || output === undefined || !contextWindow || !outputMax) return { id, leftOut: "no price per token, or no limits" };
  return {
    ...{ id, type: "language", contextWindow, outputMax },
    ...(typeof row["name"] === "string" ? { name: row["name"] } : {}),
    ...(typeof row["release_date"] === "string" && /^\d{4}-\d{2}-\d{2}$/.test(row["release_date"])
      ? { released: row["release_date"] }
      : {}),
    cost: { input, output, ...defined({ cached: numberOf(cost["cache_read"]), cache_write: numberOf(cost["cache_write"]) }) },
    tools: row["tool_call"] === true,
    structuredOutputs: row["structured_output"] === true,
    reasoning: row["reasoning"] === true,
    ...{ reasoningAlwaysOn: false, adaptiveThinking: false },
    reads: [...(reads.includes("image") ? ["image" as const] : []), ...(reads.includes("pdf") ? ["file" as const] : [])],
    source: "https://models.dev",
  };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function defined<Value extends object>(value: Value): { [Key in keyof Value]?: NonNullable<Value[Key]> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}
