// Every form of a paid call that a client may leave, and the catalog behind them: what is billed by token (language-forms.ts), and what has one
// price for the whole call.
import { wavFile } from "../../simulator/audio-check.ts";
import { highTiers } from "../../support/tiers.ts";
import { formOf } from "../../operations/transcriptions/transcription-gateway.ts";
import { type Form, json, languageForms, languageModels, prices, prompt } from "./language-forms.ts";

const slow = "+sim-slow-40ms";

const tokens = Array.from({ length: 60 }, () => 7);

/** At a host that has completions of its own. */
const severalPrompts: Form[] = ["", "+sim-no-usage"].flatMap((usage) =>
  [false, true].flatMap((stream) =>
    Object.entries({ texts: [prompt, prompt, prompt], tokens: [tokens, tokens, tokens] }).map(([kind, asked]): Form => ({
      ...whole(`three prompts (${kind}) with echo, ${stream ? "streamed" : "whole"}${usage}`, "/v1/completions", {
        ...{ model: `m/base${usage.replace("+sim", "")}`, prompt: asked, echo: true, stream, max_tokens: 80 },
      }),
      kind: "several prompts",
    })),
  ),
);

function whole(name: string, path: string, body: object): Form {
  return { name, kind: "whole", path, type: json, body: JSON.stringify(body), prices, guessed: false };
}

function audio(name: string, path: string, sent: object | { body: Buffer; type: string }): Form {
  const content = "type" in sent && "body" in sent ? sent : { body: JSON.stringify(sent), type: json };
  return { name, kind: "audio", path: `/v1/audio/${path}`, ...content, prices: null, guessed: false };
}

const recording = wavFile(61.5);
const sample = wavFile(11);

export const forms: Form[] = [
  ...languageForms,
  ...severalPrompts,
  whole("embeddings", "/v1/embeddings", { model: "m/embed", input: [prompt, prompt] }),
  whole("rerank", "/v1/rerank", { model: "m/rank", query: "4711", documents: [prompt, prompt] }),
  {
    ...whole("decisions", "/v1/decisions", {
      model: "jev",
      state: prompt,
      questions: { q: { type: "choice", criteria: { refund: "Give the money back.", resend: "Send it again." } } },
    }),
    prices: { input: 100n, output: 0n },
  },
  audio("speech in pieces", "speech", { model: "m/speech-a", input: "Good morning to all of you." }),
  audio("speech, streamed", "speech", { model: "m/speech-b", input: "Good morning to all of you.", stream: true }),
  audio("speech, whole", "speech", { model: "m/speech-b", input: "Good morning to all of you." }),
  audio("music", "music", { model: "m/music", prompt: "calm", music_length_ms: 2500 }),
  audio("a sound effect", "sfx", { model: "m/sound", prompt: "a door" }),
  audio("a transcription", "transcriptions", await formOf({ model: "m/stt" }, recording)),
  audio("a transcription, streamed", "transcriptions", await formOf({ model: "m/stt", stream: "true" }, recording)),
  audio("a cloned voice", "voice-clone", await formOf({ model: "m/clone" }, sample)),
  audio("a designed voice", "voice-design", { model: "m/design", description: "An old sailor, rough but kind" }),
];

/** What a provider with the same prices bills, in units; `whole`: the whole call's price. */
export function billOf({ prices: of }: Pick<Form, "prices">, billed: readonly { input: number; output: number }[], whole: bigint): bigint {
  if (of === null) return billed.length === 0 ? 0n : whole;
  return billed.reduce((sum, { input, output }) => sum + BigInt(input) * of.input + BigInt(output) * of.output, 0n);
}

const per = (unit: object) => ({ pricing: unit });

/** What the clouds' providers read. */
export const cloudEnvironment = { CLOUD_KEY: "any", GCE_METADATA_HOST: "simulator:/vertex/metadata" };

/** Each route costs what its model is sold for. */
export function catalogOf(): string {
  const provider = (id: string, protocol: string, path: string) => ({ id, protocol, base_url: `simulator:${path}` });
  const tokens = per({ mode: "per-token", input: 1 });
  const models = [
    ...languageModels(),
    ...["", "-no-usage"].map((usage) => ({
      ...{ id: `m/base${usage}`, type: "language", context_window: 128_000, max_output_tokens: 1_000 },
      ...per({ mode: "per-token", input: 1, output: 2 }),
      routes: [
        {
          ...{ provider: "openai", completions: true, cost: { input: 1, output: 2 } },
          model: `base${usage && `+sim${usage}`}+sim-slow-15ms+sim-pace-3ms+sim-tokens-24`,
        },
      ],
    })),
    { id: "m/embed", type: "embedding", ...tokens, routes: [{ provider: "openai", model: `embed${slow}`, cost: { input: 1 } }] },
    { id: "m/rank", type: "reranking", ...tokens, routes: [{ provider: "rerank", model: `rank${slow}`, cost: { input: 1 } }] },
    {
      id: "jev",
      type: "decisions",
      ...per({ mode: "per-token", input: 1, output: 2 }),
      routes: [{ provider: "openai", model: `decide${slow}`, cost: { input: 1, output: 2 } }],
    },
    speechModel("m/speech-a", "a", "a", `multilingual${slow}+sim-pace-3ms`),
    speechModel("m/speech-b", "b", "b", `speech-hd${slow}+sim-pace-3ms`),
    {
      id: "m/music",
      type: "speech",
      capability: "music",
      ...per({ mode: "per-second", usd_per_second: 0.13 }),
      routes: [{ provider: "a", model: `music${slow}+sim-pace-3ms`, cost: { per_second: 0.13 } }],
    },
    {
      id: "m/sound",
      type: "speech",
      capability: "sfx",
      ...per({ mode: "per-call", usd_per_call: 0.4 }),
      routes: [{ provider: "a", model: `sound${slow}`, cost: { per_request: 0.4 } }],
    },
    {
      id: "m/stt",
      type: "transcription",
      ...per({ mode: "per-minute", usd_per_minute: 0.01, min_billable_minutes: 1 }),
      routes: [{ provider: "openai", model: `stt${slow}+sim-pace-3ms`, cost: { per_minute: 0.01 } }],
    },
    voiceMaker("m/clone", "voice-clone"),
    voiceMaker("m/design", "voice-design"),
  ];
  const providers = [
    provider("openai", "openai", "/openai/v1"),
    { ...provider("azure-openai", "azure-openai", "/azure"), headers: { "api-key": "any" } },
    provider("anthropic", "anthropic", "/anthropic/v1"),
    { ...provider("bedrock", "bedrock", "/bedrock"), region: "us-east-1", api_key_env: "CLOUD_KEY" },
    provider("gemini", "gemini", "/gemini"),
    { ...provider("vertex", "vertex", "/vertex"), project: "sim-project", location: "global" },
    { ...provider("cohere", "cohere", "/cohere/v2"), api_key_env: "CLOUD_KEY" },
    provider("rerank", "rerank", "/rerank"),
    provider("a", "elevenlabs", "/elevenlabs"),
    provider("b", "minimax", "/minimax"),
  ];
  const audioSlots = { audio_concurrent: 1000, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } };
  return JSON.stringify({ providers, models, tiers: highTiers(audioSlots) });
}

function voiceMaker(id: string, capability: string): object {
  return {
    ...{ id, type: "speech", capability, voice_family: "provider_b" },
    ...per({ mode: "per-call", usd_per_call: 0.3 }),
    routes: [{ provider: "b", model: `maker${slow}`, cost: { per_request: 0.3 } }],
  };
}

function speechModel(id: string, family: string, provider: string, model: string): object {
  return {
    ...{ id, type: "speech", voice_family: `provider_${family}`, default_voice: family === "a" ? "lyra-narrator" : "calm-woman" },
    ...per({ mode: "per-1k-chars", usd_per_1k_chars: 0.4 }),
    routes: [{ provider, model, cost: { per_1k_chars: 0.4 } }],
  };
}
