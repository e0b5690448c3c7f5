// The models of the matrix: one a cell, whose upstream's directives make it end as the cell says.
import { highTiers } from "../../support/tiers.ts";
import { type Cell, type Ending, halfway, type UsageSaid, writes } from "./cells.ts";
import { dialects } from "./dialects.ts";
import { asked, cheaper, dearer, type Prices, said, saidOfTexts, saidTooMuch, text, wide } from "./reference.ts";

/** To the first byte, and between two: as short as a loaded machine allows. */
const shortTimeoutMs = 2_000;
export const decisionsModel = "jev";
/** What the clouds' providers read. */
export const cloudEnvironment = { CLOUD_KEY: "any", GCE_METADATA_HOST: "simulator:/vertex/metadata" };
/** Output tokens a call may have; the last for what is to be more than was reserved. */
const caps = { usual: 500, reached: wide.tokens };

export interface Planned {
  cell: Cell;
  /** Id in the catalog. */
  model: string;
  cap: number;
  /** Names every upstream id of the cell. */
  tag: string;
}

export function planned(cell: Cell, index: number): Planned {
  const decides = cell.kind === "decisions";
  const cap = cell.ending === "complete, more than was reserved" ? caps.reached : caps.usual;
  return { cell, cap, model: decides ? decisionsModel : `cell/${index}`, tag: `${decides ? "decide-" : ""}c${index}` };
}

export function catalogOf(plans: readonly Planned[]): string {
  const protocols = [
    { protocol: "openai", base_url: "simulator:/openai/v1" },
    { protocol: "azure-openai", base_url: "simulator:/azure", headers: { "api-key": "any" } },
    { protocol: "anthropic", base_url: "simulator:/anthropic/v1" },
    { protocol: "bedrock", base_url: "simulator:/bedrock", region: "us-east-1", api_key_env: "CLOUD_KEY" },
    { protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" },
    { id: "vertex-claude", protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" },
    { protocol: "gemini", base_url: "simulator:/gemini" },
    { protocol: "cohere", base_url: "simulator:/cohere" },
    { protocol: "rerank", base_url: "simulator:/rerank" },
  ];
  const providers = protocols.flatMap(({ id = "", ...provider }) => {
    const name = id === "" ? provider.protocol : id;
    return [
      { id: name, ...provider },
      { id: `second-${name}`, ...provider },
      { id: `impatient-${name}`, ...provider, timeout_ms: shortTimeoutMs },
    ];
  });
  return JSON.stringify({ providers, models: plans.flatMap(modelsOf), tiers: highTiers() });
}

function modelsOf({ cell, model, tag }: Planned): object[] {
  const { upstream, ending } = cell;
  const good = `${tag}${lookDirectives(cell)}${usageDirectives(cell)}`;
  const failing = `${tag}-first+sim-fail-503`;
  const publisher = upstream === "vertex-claude" ? "anthropic/" : "";
  const route = (id: string, provider: string = upstream) => ({ provider, model: `${publisher}${id}` });
  const other = ending === "served by a cheaper model" ? cheaper : ending === "served by a dearer model" ? dearer : null;
  if (other !== null) {
    const otherId = `${model}-other`;
    return [{ ...modelOf(cell, model, asked, [route(failing)]), fallbacks: [otherId] }, modelOf(cell, otherId, other, [route(good)])];
  }
  if (ending === "served by the second route") return [modelOf(cell, model, asked, [route(failing), route(good, `second-${upstream}`)])];
  if (ending === "refused by every route") {
    const refusing = (name: string) => `${tag}-${name}+sim-refuse`;
    return [modelOf(cell, model, asked, [route(refusing("first")), route(refusing("second"), `second-${upstream}`)])];
  }
  const provider = ending.startsWith("silent") ? `impatient-${upstream}` : upstream;
  return [modelOf(cell, model, asked, [route(`${good}${endingDirectives(cell)}`, provider)])];
}

function modelOf(cell: Cell, id: string, prices: Prices, routes: object[]): object {
  const pricing = { mode: "per-token", ...(cell.kind === "embeddings" || cell.kind === "rerank" ? { input: prices.input } : prices) };
  const output = writes(cell) ? { max_output_tokens: 10_000 } : {};
  return { id, type: dialects[cell.kind].type, context_window: 128_000, ...output, pricing, routes };
}

function lookDirectives(cell: Cell): string {
  if (!writes(cell)) return "";
  if (cell.ending === "complete, more than was reserved") return `+sim-tokens-${wide.tokens}+sim-big-${wide.width}`;
  return `+sim-tokens-${text.tokens}+sim-big-${text.width}`;
}

const whenSaid: Record<UsageSaid, string> = { present: "", missing: "+sim-no-usage", late: "+sim-usage-late", doubled: "+sim-usage-twice" };

function usageDirectives({ kind, upstream, usage, ending, stream }: Cell): string {
  const early = stream && usage === "present" && upstream.endsWith("openai") && endsHalfway(ending) ? "+sim-usage-every-chunk" : "";
  const tooMuch = ending === "complete, more than was reserved";
  const texts = kind === "embeddings" || kind === "rerank";
  const prompt = `+sim-prompt-tokens-${tooMuch ? saidTooMuch.prompt : texts ? saidOfTexts : said.prompt}`;
  // Before its first token a host that says usage all the time says 0 of them.
  if (ending === "left before the first token") return `${whenSaid[usage]}${early}${prompt}`;
  const rest = `+sim-cached-${said.cached}+sim-cache-write-${said.written}+sim-completion-tokens-${tooMuch ? saidTooMuch.completion : said.completion}`;
  return `${whenSaid[usage]}${early}${prompt}${texts ? "" : rest}`;
}

const endsHalfway = (ending: Ending) => halfway.includes(ending) || ending === "left before the first token";

function endingDirectives({ upstream, usage, ending, stream }: Cell): string {
  // Before the text: a record with the role; over azure-openai first one with filter results; a message's start, a ping and its block's; over gemini none; over bedrock a message's start; the starts of a message and a content. Behind it, over openai, one with the finish.
  const before = {
    ...{ openai: 1, "azure-openai": 2, anthropic: 3, "vertex-claude": 3, bedrock: 1, gemini: 0, vertex: 0, cohere: 2, rerank: 0 },
  }[upstream];
  const after = usage === "late" ? before + text.tokens + 1 : before + text.broken;
  switch (ending) {
    case "left before the first byte":
    case "silent before the first byte":
      return "+sim-hang";
    case "left before the first token":
      return `+sim-stall-after-${before}`;
    case "left in the middle":
      return stream ? `+sim-stall-after-${after}` : "+sim-slow-6000ms";
    case "silent in the middle":
      return `+sim-stall-after-${after}`;
    case "cut in the middle":
      return `+sim-cut-after-${after}`;
    case "error in the middle":
      return `+sim-error-after-${after}`;
    case "ended without its end":
      return `+sim-end-after-${after}`;
    case "complete, its last tool call malformed":
      return "+sim-malformed-call";
    case "rejected":
      return "+sim-reject";
    case "unreadable":
      return "+sim-bad-json";
    default:
      return "";
  }
}
