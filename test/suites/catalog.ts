// One model for every test of the suites, under the name that opencompat expects to find, and one for embeddings.
import { highTiers } from "../support/tiers.ts";

export const suitesCatalog = JSON.stringify({
  tiers: highTiers(),
  providers: [{ id: "first", protocol: "openai", base_url: "simulator:/openai/v1" }],
  models: [
    {
      id: "copilot/gpt-4o",
      type: "language",
      context_window: 128_000,
      max_output_tokens: 16_384,
      supports_tools: true,
      supports_structured_outputs: true,
      supports_vision: true,
      pricing: { mode: "per-token", input: 0.5, output: 1.5 },
      routes: [{ provider: "first", model: "vision" }],
    },
    {
      id: "vectors/small",
      type: "embedding",
      context_window: 8192,
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "first", model: "embed" }],
    },
  ],
});
