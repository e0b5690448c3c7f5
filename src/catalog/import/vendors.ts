// Vendors whose models can be imported: how the gateway reaches them, and what public price lists call them.
import type { FileProvider } from "../file.ts";

export interface Vendor {
  provider: FileProvider & { api_key_env: string };
  /** In LiteLLM's list (`litellm_provider`). */
  litellm: string;
  /** In lists shaped as models.dev's. */
  modelsDev: string;
  /** Its page of prices, for models whose row of a list names none. */
  pricesAt: string;
  /** The vendor's ids that the aliases of these names mean. */
  aliases?: Readonly<Record<"best" | "cheap", string>>;
}

function openai(id: string, base_url: string, api_key_env: string, pricesAt: string, more: Partial<Vendor> = {}): Vendor {
  return { provider: { id, protocol: "openai", base_url, api_key_env }, litellm: id, modelsDev: id, pricesAt, ...more };
}

export const vendors: Readonly<Record<string, Vendor>> = {
  openai: openai("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "https://developers.openai.com/api/docs/pricing", {
    aliases: { best: "gpt-6.1-sol", cheap: "gpt-6-luna" },
  }),
  anthropic: {
    provider: { id: "anthropic", protocol: "anthropic", base_url: "https://api.anthropic.com/v1", api_key_env: "ANTHROPIC_API_KEY" },
    litellm: "anthropic",
    modelsDev: "anthropic",
    pricesAt: "https://platform.claude.com/docs/en/about-claude/pricing",
    aliases: { best: "claude-opus-5-5", cheap: "claude-haiku-5-5" },
  },
  mistral: openai("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "https://mistral.ai/pricing", {
    aliases: { best: "mistral-large-4", cheap: "mistral-small" },
  }),
  groq: openai("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", "https://groq.com/pricing", {
    aliases: { best: "openai/gpt-oss-120b", cheap: "openai/gpt-oss-20b" },
  }),
  deepseek: openai("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "https://api-docs.deepseek.com/quick_start/pricing"),
  xai: openai("xai", "https://api.x.ai/v1", "XAI_API_KEY", "https://docs.x.ai/docs/models"),
  together: openai("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", "https://www.together.ai/pricing", {
    litellm: "together_ai",
    modelsDev: "togetherai",
  }),
  fireworks: openai("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "https://fireworks.ai/pricing", {
    litellm: "fireworks_ai",
    modelsDev: "fireworks-ai",
  }),
};
