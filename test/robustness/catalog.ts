// A small catalog for these tests: one provider, one model a name, each with an upstream id of its own (and so directives).
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { highTiers } from "../support/tiers.ts";

/** Of a token: 1e-6 and 2e-6 USD, so that every count stands in the cost. */
export const perToken = "{ mode: per-token, input: 1, output: 2 }";
/** What is reserved is what is charged: a balance pays for exactly so many calls. */
export const flatFee = "{ mode: per-token, input: 0, output: 0, per_request: 0.01 }";

/** `models`: name below `demo/` to upstream id. */
export function catalogText(baseUrl: string, models: Record<string, string>, pricing: string = perToken, tiers = highTiers()): string {
  const rows = Object.entries(models).map(
    ([name, upstream]) => `  - id: demo/${name}
    type: language
    context_window: 4000000
    max_output_tokens: 100000
    pricing: ${pricing}
    routes: [{ provider: north, model: "${upstream}" }]
`,
  );
  return `providers:\n  - { id: north, protocol: openai, base_url: "${baseUrl}/openai/v1" }\nmodels:\n${rows.join("")}tiers: ${JSON.stringify(tiers)}\n`;
}

/** As a file, for a gateway that is a process of its own. */
export function catalogFile(text: string): string {
  const path = join(mkdtempSync(join(inject("runFolder"), "catalog-")), "catalog.yaml");
  writeFileSync(path, text);
  return path;
}
