// Vendors whose models can be imported: how the gateway reaches them, and what public price lists call them.
import type { FileProvider } from "../file.ts";

interface Named {
  id: string;
  soldAs?: string;
}

export interface Vendor {
  provider: FileProvider & { api_key_env: string };
  /** In LiteLLM's list (`litellm_provider`). */
  litellm: string | readonly string[];
  /**
   * What a key of that list is to the vendor: the id that routes call, and the one it is sold by where they differ; null: another region's, or
   * not a model's. Absent: the key, without LiteLLM's name of the vendor.
   */
  named?(key: string, keys: ReadonlySet<string>, row: Readonly<Record<string, unknown>>): Named | null;
  /** Rows that name no page are of models that the vendor no longer sells so. */
  namesPages?: true;
  /** Ids of models that think by levels, where the list doesn't say. */
  thinksByLevels?: RegExp;
  /** The file is to be copied and edited: its address is not known, so a key alone does not serve it. */
  copied?: string;
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
    provider: {
      ...{ id: "anthropic", protocol: "anthropic", base_url: "https://api.anthropic.com/v1" },
      api_key_env: "ANTHROPIC_API_KEY",
      on_disconnect: "drain", // a stream shows a summary of its thinking, all of which is billed; how much that was, its end says
    },
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
  deepseek: openai("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "https://api-docs.deepseek.com/quick_start/pricing", {
    namesPages: true,
    aliases: { best: "deepseek-v4-pro", cheap: "deepseek-v4-flash" },
  }),
  xai: openai("xai", "https://api.x.ai/v1", "XAI_API_KEY", "https://docs.x.ai/docs/models", {
    aliases: { best: "grok-4.7", cheap: "grok-4.3" },
  }),
  together: openai("together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", "https://www.together.ai/pricing", {
    litellm: "together_ai",
    modelsDev: "togetherai",
    // The rest are the prices of all models of a size, by which nothing can be called.
    named: (key) => (key.startsWith("together_ai/") ? { id: key.slice("together_ai/".length) } : null),
    aliases: { best: "moonshotai/Kimi-K3.1-Pro", cheap: "openai/gpt-oss-120b" },
  }),
  fireworks: openai("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", "https://fireworks.ai/pricing", {
    litellm: "fireworks_ai",
    modelsDev: "fireworks-ai",
  }),
  google: {
    provider: {
      ...{ id: "google", protocol: "gemini", base_url: "https://generativelanguage.googleapis.com" },
      api_key_env: "GEMINI_API_KEY",
    },
    litellm: "gemini",
    modelsDev: "google",
    pricesAt: "https://ai.google.dev/gemini-api/docs/pricing",
    named: (key) => (/^gemini\/gemini-(?!gemma|exp)/.test(key) ? { id: key.slice("gemini/".length) } : null),
    thinksByLevels: /^gemini-(?!2\.)/,
    aliases: { best: "gemini-4-argon", cheap: "gemini-3.5-flash-lite" },
  },
  cohere: {
    provider: { id: "cohere", protocol: "cohere", base_url: "https://api.cohere.com", api_key_env: "COHERE_API_KEY" },
    litellm: ["cohere_chat", "cohere"],
    modelsDev: "cohere",
    pricesAt: "https://cohere.com/pricing",
    named: (key) => ({ id: key.replace(/^cohere\//, "") }),
    aliases: { best: "command-a-03-2025", cheap: "command-r7b-12-2024" },
  },
  aws: {
    provider: {
      ...{ id: "aws", protocol: "bedrock", region: "us-east-1" },
      api_key_env: "AWS_BEARER_TOKEN_BEDROCK", // an access key may well be meant for the file store alone
    },
    litellm: ["bedrock_converse", "bedrock"],
    modelsDev: "amazon-bedrock",
    pricesAt: "https://aws.amazon.com/bedrock/pricing/",
    named: bedrockName,
    aliases: { best: "anthropic.claude-opus-5-5", cheap: "amazon.nova-micro-v1:0" },
  },
  azure: {
    provider: {
      ...{ id: "azure", protocol: "azure-openai", base_url: "https://YOUR-RESOURCE.openai.azure.com" },
      api_key_env: "AZURE_OPENAI_API_KEY",
    },
    litellm: "azure",
    modelsDev: "azure",
    pricesAt: "https://azure.microsoft.com/en-us/pricing/details/cognitive-services/openai-service/",
    copied: "Copy it, and put your resource into `base_url`; a route's `model` is the name of your deployment.",
    named: (key) => (/^azure\/(?:gpt-\d(?!.*audio)[\w.-]*|o\d[\w.-]*|text-embedding-[\w.-]+)$/.test(key) ? { id: key.slice(6) } : null),
    aliases: { best: "gpt-6.1-sol", cheap: "gpt-6-luna" },
  },
};

/** Of a model that is called by an inference profile, the United States' one is: the region of the file is there. */
function bedrockName(
  key: string,
  keys: ReadonlySet<string>,
  { litellm_provider: listed, mode }: Readonly<Record<string, unknown>>,
): Named | null {
  if (listed === "bedrock" && mode === "chat") return null; // not called by Converse
  if (key.startsWith("us.")) return { id: key, soldAs: key.slice(3) };
  const elsewhere = /^(?:us-gov|eu|apac|jp|au|global|in|ca)\.|[/@]/.test(key);
  const embeds = !key.includes("embed") || /titan-embed-text|titan-embed-g1|cohere\.embed/.test(key);
  return elsewhere || !embeds || keys.has(`us.${key}`) ? null : { id: key };
}
