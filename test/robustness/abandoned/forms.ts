// Every form of a paid call, and the models behind it: what a caller sends, and which upstream ids make the host think unseen, pace its
// answer, or say its usage at the end, with each record or never.
import { wavFile } from "../../simulator/audio-check.ts";
import { highTiers } from "../../support/tiers.ts";
import { formOf } from "../../operations/transcriptions/transcription-gateway.ts";

export interface Form {
  name: string;
  path: string;
  type: string;
  body: Buffer | string;
  /** Tokens of a model in units of 1e-8 USD; null: the price is the whole call's. */
  prices: { input: bigint; output: bigint } | null;
  /** A caller who stays pays an estimate that may be below the bill: the host says no usage, and the prompt or the output can't be counted. */
  guessed: boolean;
}

/** Of a token. */
const prices = { input: 100n, output: 200n };
/** Digits: a tokenizer makes more tokens of them than the simulator does. */
const prompt = "4711 0815 ".repeat(30);
const png = "data:image/png;base64,iVBORw0KGgo=";
/** Above what an image is likely to take, below what is held for it. */
const promptOfImage = 1_500;
const cap = 80;
const json = "application/json";

const usages = ["", "+sim-usage-every-chunk", "+sim-no-usage"] as const;
const thoughts = ["", "+sim-reasoning-tokens-20+sim-hidden-reasoning"] as const;
const paces = ["+sim-slow-40ms", "+sim-slow-15ms+sim-pace-3ms", "+sim-slow-15ms+sim-pace-3ms+sim-left-503"] as const;

interface Texts {
  endpoint: string;
  protocol: "openai" | "azure-openai" | "anthropic" | "bedrock" | "gemini" | "vertex";
  stream: boolean;
  usage: (typeof usages)[number];
  thought: (typeof thoughts)[number];
  pace: (typeof paces)[number];
  image: boolean;
}

const languageModel = ({ protocol, usage, thought, pace, image }: Texts) => ({
  id: `m/${protocol}${usage}${thought}${pace}${image ? "-image" : ""}`.replaceAll("+sim", ""),
  upstream: `any${usage}${thought}${pace}+sim-tokens-24${image ? `+sim-prompt-tokens-${promptOfImage}` : ""}`,
});

function bodyOf({ endpoint, stream, image }: Texts, model: string): [path: string, body: object] {
  const messages = [
    {
      role: "user",
      content: image
        ? [
            { type: "text", text: prompt },
            { type: "image_url", image_url: { url: png } },
          ]
        : prompt,
    },
  ];
  switch (endpoint) {
    case "chat":
      return ["/v1/chat/completions", { model, messages, stream, max_tokens: cap }];
    case "messages":
      return ["/v1/messages", { model, messages: [{ role: "user", content: prompt }], stream, max_tokens: cap }];
    case "responses":
      return ["/v1/responses", { model, input: prompt, stream, max_output_tokens: cap }];
    default:
      return ["/v1/completions", { model, prompt, stream, max_tokens: cap }];
  }
}

const texts: Texts[] = ["chat", "messages", "responses", "completions"].flatMap((endpoint) =>
  (["openai", "azure-openai", "anthropic", "bedrock", "gemini", "vertex"] as const).flatMap((protocol) =>
    [false, true].flatMap((stream) =>
      usages.flatMap((usage) =>
        thoughts.flatMap((thought) =>
          paces.flatMap((pace) => [false, true].map((image) => ({ endpoint, protocol, stream, usage, thought, pace, image }))),
        ),
      ),
    ),
  ),
);

/**
 * The anthropic protocol measures the prompt at once and hides thinking only where it is asked to; the gemini protocol says its usage with
 * every record, and its two dialects stand for all; images are sent in chat. The
 * other clouds' protocols are these at other addresses, or translated by way of them: chat stands for all.
 */
const sensible = ({ endpoint, protocol, usage, thought, image }: Texts) =>
  (protocol === "openai" || (thought === "" && usage !== "+sim-usage-every-chunk")) &&
  (!["azure-openai", "bedrock", "vertex"].includes(protocol) || endpoint === "chat") &&
  (protocol !== "gemini" || endpoint === "chat" || endpoint === "messages") &&
  (!image || (endpoint === "chat" && protocol === "openai"));

const language: Form[] = texts.filter(sensible).map((of) => {
  const { id, upstream } = languageModel(of);
  const [path, body] = bodyOf(of, id);
  const guessed = of.usage === "+sim-no-usage" && (of.thought !== "" || of.image);
  return {
    name: `${of.endpoint}, ${of.stream ? "streamed" : "whole"}, ${of.protocol}/${upstream}`,
    path,
    type: json,
    body: JSON.stringify(body),
    prices,
    guessed,
  };
});

const slow = "+sim-slow-40ms";

function whole(name: string, path: string, body: object): Form {
  return { name, path, type: json, body: JSON.stringify(body), prices, guessed: false };
}

function audio(name: string, path: string, body: object): Form {
  return { name, path: `/v1/audio/${path}`, type: json, body: JSON.stringify(body), prices: null, guessed: false };
}

const form = await formOf({ model: "m/stt" }, wavFile(61.5));

export const forms: Form[] = [
  ...language,
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
  { name: "a transcription", path: "/v1/audio/transcriptions", ...form, prices: null, guessed: false },
];

/** What a provider with the same prices bills, in units; `whole`: the whole call's price. */
export function billOf({ prices: of }: Form, billed: readonly { input: number; output: number }[], whole: bigint): bigint {
  if (of === null) return billed.length === 0 ? 0n : whole;
  return billed.reduce((sum, { input, output }) => sum + BigInt(input) * of.input + BigInt(output) * of.output, 0n);
}

const per = (unit: object) => ({ pricing: unit });

/** What the clouds' providers read. */
export const cloudEnvironment = { CLOUD_KEY: "any", GCE_METADATA_HOST: "simulator:/vertex/metadata" };

/** Each route costs what its model is sold for. */
export function catalogOf(): string {
  const provider = (id: string, protocol: string, path: string) => ({ id, protocol, base_url: `simulator:${path}` });
  const seen = new Map<string, object>();
  for (const of of texts.filter(sensible)) {
    const { id, upstream } = languageModel(of);
    seen.set(id, {
      ...{ id, type: "language", context_window: 128_000, max_output_tokens: 1_000, input_modalities: ["text", "image"] },
      ...{ supports_vision: true, supports_reasoning: of.thought !== "" },
      ...per({ mode: "per-token", input: 1, output: 2 }),
      routes: [{ provider: of.protocol, model: upstream, cost: { input: 1, output: 2 } }],
    });
  }
  const tokens = per({ mode: "per-token", input: 1 });
  const models = [
    ...seen.values(),
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
      routes: [{ provider: "openai", model: `stt${slow}`, cost: { per_minute: 0.01 } }],
    },
  ];
  const providers = [
    provider("openai", "openai", "/openai/v1"),
    { ...provider("azure-openai", "azure-openai", "/azure"), headers: { "api-key": "any" } },
    provider("anthropic", "anthropic", "/anthropic/v1"),
    { ...provider("bedrock", "bedrock", "/bedrock"), region: "us-east-1", api_key_env: "CLOUD_KEY" },
    provider("gemini", "gemini", "/gemini"),
    { ...provider("vertex", "vertex", "/vertex"), project: "sim-project", location: "global" },
    provider("rerank", "rerank", "/rerank"),
    provider("a", "elevenlabs", "/elevenlabs"),
    provider("b", "minimax", "/minimax"),
  ];
  const audioSlots = { audio_concurrent: 1000, audio_concurrent_per_capability: { transcription: 100, understanding: 100, speech: 100 } };
  return JSON.stringify({ providers, models, tiers: highTiers(audioSlots) });
}

function speechModel(id: string, family: string, provider: string, model: string): object {
  return {
    ...{ id, type: "speech", voice_family: `provider_${family}`, default_voice: family === "a" ? "lyra-narrator" : "calm-woman" },
    ...per({ mode: "per-1k-chars", usd_per_1k_chars: 0.4 }),
    routes: [{ provider, model, cost: { per_1k_chars: 0.4 } }],
  };
}
