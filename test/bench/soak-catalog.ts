// What the soak sells: the shipped models by a simulator elsewhere, and models whose upstreams are slow, long, or broken each in its way.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { highTiers } from "../support/tiers.ts";

/** The upstream of each: a name and its knobs (src/simulator/README.md). */
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

/** So that an upstream that never answers is given up within a short soak. */
const timeoutMs = 3_000;

export function soakCatalog(simulatorUrl: string): string {
  const text = readFileSync(fileURLToPath(new URL("../../src/catalog/default.yaml", import.meta.url)), "utf8");
  const shipped = parse(text.replaceAll("simulator:/", `${simulatorUrl}/`)) as { providers: object[]; models: object[] };
  const model = (id: string, routes: object[]) => ({
    ...{ id, type: "language", context_window: 2_000_000, max_output_tokens: 100_000, supports_vision: true },
    ...{ pricing: { mode: "per-token", input: 1, output: 2 }, routes },
  });
  const sound = { provider: "sound", model: "sound" };
  return JSON.stringify({
    ...shipped,
    providers: [
      ...shipped.providers,
      { id: "sound", protocol: "openai", base_url: `${simulatorUrl}/openai/v1` },
      { id: "odd", protocol: "openai", base_url: `${simulatorUrl}/openai/v1`, timeout_ms: timeoutMs },
    ],
    models: [
      ...shipped.models,
      ...Object.entries(own).map(([id, upstream]) => model(id, [{ provider: "odd", model: upstream }])),
      model("soak/second-choice", [{ provider: "odd", model: "second+sim-flaky-1000000+sim-fail-500" }, sound]),
    ],
    tiers: highTiers({ image_concurrent: 1_000, image_queue_depth_cap: 100_000, video_concurrent: 1_000, video_queue_depth_cap: 100_000 }),
  });
}
