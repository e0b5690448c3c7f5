// Which header carries a provider's key (docs/behaviour/providers.md#protocols). The catalog's check asks as well, and loads nothing else for it.
import type { Protocol } from "../types.ts";

export function authHeader(protocol: Protocol, apiKey: string): [string, string] {
  switch (protocol) {
    case "anthropic":
      return ["x-api-key", apiKey];
    case "fal":
      return ["authorization", `Key ${apiKey}`];
    case "elevenlabs":
      return ["xi-api-key", apiKey];
    case "azure-openai":
      return ["api-key", apiKey];
    case "gemini":
      return ["x-goog-api-key", apiKey];
    default:
      return ["authorization", `Bearer ${apiKey}`];
  }
}
