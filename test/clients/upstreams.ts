// The catalog that the clients' tests run against: one model per behaviour of an upstream, named by what it does.
// Every model has a route of its own, so that one model's open breaker is no other's.

import { highTiers } from "../support/tiers.ts";

interface ModelChoice {
  /** Upstream model ids, the simulator's directives in them; one route each, on providers of their own. */
  upstream: readonly string[];
  /** The first route's provider, where it is not the usual one. */
  provider?: string;
  more?: Record<string, unknown>;
}

const reasons = { supports_reasoning: true };
const sees = { supports_vision: true };

const models: Record<string, ModelChoice> = {
  "plain/chat": { upstream: ["plain"] },
  "plain/base": { upstream: [], more: { routes: [{ provider: "first", model: "base", completions: true }] } },
  "plain/long": { upstream: ["long+sim-tokens-3000"] },
  "plain/large-chunks": { upstream: ["large-chunks+sim-tokens-300+sim-big-65536"] },
  "plain/unhurried": { upstream: ["unhurried+sim-tokens-400+sim-pace-5ms"] },
  "plain/cached": { upstream: ["cached+sim-prompt-tokens-1000+sim-cached-600"] },
  "plain/slow-start": { upstream: ["slow-start+sim-slow-1500ms"] },
  "plain/commented": { upstream: ["commented+sim-comments+sim-crlf+sim-split-7+sim-tokens-12"] },
  "plain/no-done": { upstream: ["no-done+sim-no-done"] },
  "plain/no-usage": { upstream: ["no-usage+sim-no-usage"] },
  "plain/usage-every-chunk": { upstream: ["usage-every+sim-usage-every-chunk"] },
  "plain/usage-in-finish": { upstream: ["usage-finish+sim-usage-in-finish"] },
  "plain/eos": { upstream: ["eos+sim-finish-eos"] },
  "plain/finish-empty": { upstream: ["finish-empty+sim-finish-empty"] },
  "plain/filtered": { upstream: ["filtered+sim-finish-filtered"] },
  "plain/second-route": { upstream: ["second-a+sim-fail-503", "second-b"] },
  "plain/error-first": { upstream: ["error-first-a+sim-error-after-0", "error-first-b"] },
  "plain/slow-then-second": { upstream: ["slow-then-a+sim-slow-1500ms", "slow-then-b"] },
  "plain/hangs-then-second": { upstream: ["hangs-a+sim-hang", "hangs-b"], provider: "hasty" },
  "plain/other-model": { upstream: ["other-model+sim-fail-503"], more: { fallbacks: ["plain/cheap"] } },
  "plain/cheap": { upstream: ["cheap"], more: { pricing: { mode: "per-token", input: 0.1, output: 0.3 } } },
  "tools/null-fields": { upstream: ["null-fields+sim-null-tool-fields"] },
  "tools/no-index": { upstream: ["no-index+sim-no-tool-index"] },
  "tools/whole-calls": { upstream: ["whole-calls+sim-whole-tool-calls"] },
  "think/plain": { upstream: ["reason"], more: reasons },
  "think/other-field": { upstream: ["reason+sim-reasoning-field"], more: reasons },
  "see/plain": { upstream: ["vision"], more: sees },
  "blind/plain": { upstream: ["blind"], more: { supports_tools: false, supports_structured_outputs: false } },
  "broken/error-record": { upstream: ["error-record+sim-error-after-6"] },
  "broken/cut": { upstream: ["cut+sim-cut-after-6"] },
  "broken/early-end": { upstream: ["early-end+sim-end-after-6"] },
  "broken/tool-call": { upstream: ["tool-call+sim-cut-after-4"] },
  "broken/think": { upstream: ["reason-cut+sim-cut-after-6"], more: reasons },
  "fail/rejects-400": { upstream: ["rejects+sim-reject-400"] },
  "fail/rejects-413": { upstream: ["rejects+sim-reject-413"] },
  "fail/rejects-422": { upstream: ["rejects+sim-reject-422"] },
  "fail/context": { upstream: ["context+sim-context"] },
  "fail/refuses": { upstream: ["refuses-a+sim-refuse", "refuses-b+sim-refuse-403"] },
  "fail/unreadable": { upstream: ["unreadable+sim-bad-json"] },
  "fail/down": { upstream: ["down+sim-fail-503"] },
  "fail/gone": { upstream: ["gone+sim-404"] },
  "dear/chat": { upstream: ["dear"], more: { pricing: { mode: "per-token", input: 30, output: 90 } } },
  "fail/down-once": { upstream: ["down-once+sim-bad-json+sim-flaky-1"] },
};

const providers = ["first", "second"].map((id) => ({ id, protocol: "openai", base_url: "simulator:/openai/v1" }));

/** JSON is YAML. */
export const clientsCatalog = JSON.stringify({
  tiers: highTiers(),
  providers: [...providers, { id: "hasty", protocol: "openai", base_url: "simulator:/openai/v1", timeout_ms: 1000 }],
  models: [
    ...Object.entries(models).map(([id, choice]) => languageModel(id, choice)),
    {
      id: "vectors/small",
      type: "embedding",
      context_window: 8192,
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "first", model: "embed" }],
    },
  ],
  aliases: { best: "plain/chat" },
});

function languageModel(id: string, { upstream, provider, more }: ModelChoice): Record<string, unknown> {
  return {
    id,
    type: "language",
    context_window: 128_000,
    max_output_tokens: 16_384,
    supports_tools: true,
    supports_structured_outputs: true,
    pricing: { mode: "per-token", input: 0.5, output: 1.5, cached: 0.125 },
    routes: upstream.map((model, index) => ({ provider: (index === 0 && provider) || providers[index]!.id, model })),
    ...more,
  };
}
