// What the soak sells: the shipped models by a simulator elsewhere, and models whose upstreams are slow, long, or broken each in its way.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { highTiers } from "../support/tiers.ts";

/** The upstream of each: a name and its directives (src/simulator/README.md). */
const own = {
  "soak/late": "late+sim-slow-300ms",
  "soak/paced": "paced+sim-tokens-60+sim-pace-15ms",
  "soak/long": "long+sim-tokens-1000+sim-pace-20ms",
  "soak/wide": "wide+sim-tokens-200+sim-big-2000",
  "soak/fail-503": "fail+sim-fail-503",
  "soak/fail-401": "fail+sim-401",
  "soak/limited": "limited+sim-429",
  "soak/refuses": "refuses+sim-refuse",
  "soak/rejects": "rejects+sim-reject",
  "soak/hangs": "hangs+sim-hang",
  "soak/resets": "resets+sim-reset",
  "soak/html": "html+sim-html",
  "soak/bad-json": "bad+sim-bad-json",
  "soak/error-200": "error+sim-200-error",
  "soak/cut": "cut+sim-cut-after-3",
  "soak/ends": "ends+sim-end-after-3",
  "soak/stalls": "stalls+sim-stall-after-3",
  "soak/errs": "errs+sim-error-after-3",
} as const;

export type OwnModel = keyof typeof own;
export const brokenModels = (Object.keys(own) as OwnModel[]).slice(4);

const fault = /\+sim-(?:\d|fail|flaky|refuse|reject|hang|reset|html|bad-json|200-error|cut|end|stall|error)/;

/** Whether an upstream, by its id or its route, is broken by order. */
export function isBroken(upstream: string): boolean {
  return fault.test(upstream);
}

/** What a provider would bill that sells at the operator's own prices; of several prices the lowest. */
function costAt(pricing: Record<string, any>, type: string): object {
  const { input, output = 0, cached, cache_write, cache_write_1h, per_request, per_web_search } = pricing;
  switch (pricing["mode"]) {
    case "per-token":
      return {
        ...{ input, output: type === "decisions" ? 0 : output },
        ...Object.fromEntries(
          Object.entries({ cached, cache_write, cache_write_1h, per_request, per_web_search }).filter(([, usd]) => usd != null),
        ),
      };
    case "per-image":
      return { per_image: pricing["usd_per_image"] };
    case "per-quality":
      return { per_image: Math.min(...Object.values(pricing["tiers"] as Record<string, number>)) };
    case "per-megapixel":
      return { per_image: pricing["base_usd"] };
    case "per-second":
      return { per_second: pricing["usd_per_second"] };
    case "per-minute":
      return { per_minute: pricing["usd_per_minute"] };
    case "per-1k-chars":
      return { per_1k_chars: pricing["usd_per_1k_chars"] };
    default:
      return { per_request: pricing["usd_per_song"] ?? pricing["usd_per_call"] };
  }
}

function atEqualPrices(model: Record<string, any>): object {
  const { pricing, routes, type } = model;
  if (pricing === undefined || routes === undefined) return model;
  return { ...model, routes: routes.map((route: object) => ({ ...route, cost: costAt(pricing, type) })) };
}

/** So that an upstream that never answers is given up within a short soak. */
const timeoutMs = 3_000;

export function soakCatalog(simulatorUrl: string): string {
  const text = readFileSync(fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url)), "utf8");
  const shipped = parse(text.replaceAll("simulator:/", `${simulatorUrl}/`)) as { providers: object[]; models: object[] };
  const model = (id: string, routes: object[]) => ({
    ...{ id, type: "language", context_window: 2_000_000, max_output_tokens: 100_000, supports_vision: true },
    ...{ pricing: { mode: "per-token", input: 1, output: 2 }, routes },
  });
  const searching = {
    ...model("soak/searches", [{ provider: "searching", model: "searches+sim-searches-2+sim-pace-2ms" }]),
    ...{ supports_tools: true, context_window: 50_000 },
    pricing: { mode: "per-token", input: 1, output: 2, per_web_search: 0.01, max_web_searches: 3 },
  };
  const sound = { provider: "sound", model: "sound" };
  return JSON.stringify({
    ...shipped,
    providers: [
      ...shipped.providers,
      { id: "sound", protocol: "openai", base_url: `${simulatorUrl}/openai/v1` },
      { id: "searching", protocol: "anthropic", base_url: `${simulatorUrl}/anthropic/v1` },
      { id: "odd", protocol: "openai", base_url: `${simulatorUrl}/openai/v1`, timeout_ms: timeoutMs },
    ],
    models: [
      ...shipped.models,
      ...Object.entries(own).map(([id, upstream]) => model(id, [{ provider: isBroken(upstream) ? "odd" : "sound", model: upstream }])),
      searching,
      model("soak/second-choice", [{ provider: "odd", model: "second+sim-flaky-1000000+sim-fail-500" }, sound]),
    ].map((one) => atEqualPrices(one as Record<string, any>)),
    tiers: highTiers({ image_concurrent: 1_000, image_queue_depth_cap: 100_000, video_concurrent: 1_000, video_queue_depth_cap: 100_000 }),
  });
}
