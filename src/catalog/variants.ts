// What hosts of the `openai` protocol read or count otherwise than it says, as data: names of request fields, and fields that they refuse. The
// plain form is sent to every other host (docs/behaviour/providers.md#variants).
import type { Variant } from "../providers/types.ts";

type VariantName = keyof typeof variants;

const oldCap = { max_completion_tokens: "max_tokens" };
const newCap = { max_tokens: "max_completion_tokens" };

export const variants = {
  // Its reasoning models refuse `max_tokens`; all its models read the newer name.
  openai: { hosts: ["api.openai.com"], fields: newCap, effortAlone: true },
  // Refuses every field that it doesn't know. Its streams end with their usage unasked.
  mistral: {
    hosts: ["api.mistral.ai"],
    effortAlone: true,
    fields: { ...oldCap, seed: "random_seed", stream_options: null, user: null, service_tier: null, logit_bias: null },
  },
  groq: { hosts: ["api.groq.com"], fields: newCap, effortAlone: true },
  deepseek: { hosts: ["api.deepseek.com"], fields: oldCap },
  xai: { hosts: ["api.x.ai"], fields: newCap, effortAlone: true },
  together: { hosts: ["api.together.xyz", "api.together.ai"], fields: oldCap },
  fireworks: { hosts: ["api.fireworks.ai"], fields: oldCap },
  openrouter: { hosts: ["openrouter.ai"], fields: oldCap },
  // Completion tokens leave thoughts out, and no details name them.
  google: { hosts: ["generativelanguage.googleapis.com"], fields: {}, thoughtsInTotal: true },
  vllm: { hosts: [], fields: oldCap },
  ollama: { hosts: [], fields: oldCap },
  "lm-studio": { hosts: [], fields: oldCap },
} satisfies Record<string, Variant>;

/** The variant that a provider of the catalog file names, else that of its host; undefined: the plain form. */
export function variantOf(named: VariantName | undefined, baseUrl: string): Variant | undefined {
  if (named !== undefined) return variants[named];
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return Object.values<Variant>(variants).find(({ hosts }) => hosts.some((known) => host === known || host.endsWith(`.${known}`)));
}
