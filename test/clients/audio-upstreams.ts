// The catalog of the clients' audio tests: one model per behaviour of an upstream, each with a route of its own; and a recording to send.
import { highTiers } from "../support/tiers.ts";

const perMinute = { mode: "per-minute", usd_per_minute: 0.006, min_billable_minutes: 1 };
const perCharacter = { mode: "per-1k-chars", usd_per_1k_chars: 0.1 };
const heard = (id: string, model: string, more: Record<string, unknown> = {}) => ({
  ...{ id, type: "transcription", pricing: perMinute, routes: [{ provider: "ears", model }] },
  ...more,
});
const speechModel = (id: string, model: string, provider: "voices-a" | "voices-b" = "voices-a") => ({
  ...{ id, type: "speech", pricing: perCharacter, routes: [{ provider, model }] },
  ...(provider === "voices-a"
    ? { voice_family: "provider_a", default_voice: "lyra-narrator" }
    : { voice_family: "provider_b", default_voice: "calm-woman" }),
});

/** USD of a minute heard, and of a character said. */
export const minutePrice = 0.006;
export const characterPrice = 0.0001;
/** The simulator's voices say so many. */
export const charactersPerSecond = 15;
export const sentence = "The old lantern hangs above the harbour.";

export function audioCatalog(tier: Parameters<typeof highTiers>[0] = {}): string {
  return JSON.stringify({
    tiers: highTiers(tier),
    providers: [
      { id: "ears", protocol: "openai", base_url: "simulator:/openai/v1" },
      { id: "voices-a", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" },
      { id: "voices-b", protocol: "minimax", base_url: "simulator:/minimax" },
    ],
    models: [
      heard("hear/plain", "transcribe", { supports_translation: true }),
      heard("hear/text-only", "transcribe-plain", { supports_timestamps: false }),
      heard("hear/live", "gpt-4o-transcribe", { supports_timestamps: false, supports_streaming: true }),
      heard("hear/cut", "gpt-4o-transcribe+sim-cut-after-3", { supports_timestamps: false, supports_streaming: true }),
      heard("hear/down", "transcribe-down+sim-fail-503"),
      heard("hear/busy", "transcribe-busy+sim-429+sim-retry-after-7"),
      heard("hear/second", "transcribe-second+sim-fail-500", { fallbacks: ["hear/plain"] }),
      speechModel("say/plain", "speech"),
      speechModel("say/slow", "speech-slow+sim-slow-2000ms"),
      speechModel("say/down", "speech-down+sim-fail-503"),
      speechModel("say/unreadable", "speech-html+sim-html"),
      speechModel("say/b", "speech-b", "voices-b"),
    ],
    aliases: { transcribe: "hear/plain", "whisper-1": "hear/plain", "tts-1": "say/plain" },
    defaults: { speech: "say/plain" },
  });
}
