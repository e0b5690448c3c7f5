// A gateway that sells every type of model, each at a route that names its cost, and one call of each kind.
import { expect } from "vitest";
import { makeImage } from "../../src/simulator/made/image.ts";
import { eventually } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { formOf } from "../operations/transcriptions/transcription-gateway.ts";

const provider = (id: string, protocol: string, path: string) => ({ id, protocol, base_url: `simulator:/${path}` });
const route = (name: string, cost: object, model = "up") => ({ provider: name, model, cost });
const sold = (id: string, type: string, pricing: object, routes: object[], more: object = {}) => ({ id, type, pricing, routes, ...more });

/** Sold at 2 and 8 USD per million, bought at 1 and 4. */
const tokens = { mode: "per-token", input: 2, output: 8 };
export const tokenCost = { input: 1, output: 4 };
const chat = (id: string, routes: object[], more: object = {}) =>
  sold(id, "language", tokens, routes, { context_window: 128_000, max_output_tokens: 1000, ...more });

/** Of the provider that has several. */
export const keys = { KEY_A: "sk-first-secret-0123456789a", KEY_B: "sk-second-secret-0123456789b" };

export const catalog = {
  providers: [
    ...["north", "south"].map((id) => provider(id, "openai", "v1")),
    provider("judges", "openai", "v1"),
    { ...provider("hasty", "openai", "v1"), timeout_ms: 300 },
    {
      ...provider("spread", "openai", "v1"),
      credentials: [
        { id: "a", api_key_env: "KEY_A", weight: 2 },
        { id: "b", api_key_env: "KEY_B" },
      ],
    },
    provider("claude", "anthropic", "anthropic/v1"),
    provider("ranker", "rerank", "rerank"),
    provider("studio", "fal", "fal"),
    provider("voices-a", "elevenlabs", "elevenlabs"),
    provider("voices-b", "minimax", "minimax"),
  ],
  models: [
    chat("demo/chat", [route("north", tokenCost, "chat")]),
    chat("demo/claude", [route("claude", tokenCost, "claude")]),
    chat("demo/cached", [
      route("claude", { ...tokenCost, cached: 0.1, cache_write: 1.25, cache_write_1h: 2 }, "claude+sim-cached-3+sim-cache-write-5"),
    ]),
    chat("demo/spread", [route("spread", tokenCost, "spread")]),
    chat("demo/compact", [route("north", tokenCost, "chat")]),
    chat("demo/slow", [route("north", tokenCost, "chat+sim-slow-1500ms")]),
    chat("demo/second", [route("north", tokenCost, "chat+sim-bad-json"), route("south", { input: 1.5, output: 5 }, "chat")]),
    chat("demo/unreadable", [route("north", { ...tokenCost, per_request: 0.001 }, "chat+sim-bad-json")]),
    chat("demo/down", [route("north", tokenCost, "chat+sim-fail-503"), route("south", tokenCost, "chat+sim-401")]),
    chat("demo/cut", [route("north", tokenCost, "chat+sim-cut-after-4")]),
    chat("demo/dear", [route("south", { input: 3, output: 12 }, "chat")]),
    chat(
      "demo/hopeless",
      Array.from({ length: 5 }, (_, n) => route("north", tokenCost, `hopeless-${n}+sim-bad-json`)),
    ),
    chat("demo/late", [route("hasty", tokenCost, "chat+sim-hang")]),
    chat("demo/late-thinker", [route("hasty", tokenCost, "chat+sim-hang")], { supports_reasoning: true }),
    chat("demo/cut-thinker", [route("north", tokenCost, "chat+sim-slow-300ms+sim-cut-after-4")], { supports_reasoning: true }),
    chat("demo/late-thrice", [
      ...Array.from({ length: 3 }, (_, n) => route("hasty", tokenCost, `late-${n}+sim-hang`)),
      route("north", tokenCost, "chat"),
    ]),
    chat("demo/unknown", [{ provider: "north", model: "chat" }]),
    sold("demo/embed", "embedding", { mode: "per-token", input: 0.2 }, [route("north", { input: 0.1 }, "embed")]),
    sold("demo/rank", "reranking", { mode: "per-token", input: 0.2 }, [route("ranker", { per_request: 0.002 }, "rank")]),
    sold("demo/decide", "decisions", { mode: "per-token", input: 0.3, output: 0 }, [route("north", tokenCost, "decide")]),
    sold("jev", "decisions", { mode: "per-token", input: 0.3, output: 0 }, [route("judges", tokenCost, "decide")]),
    sold("demo/image", "image", { mode: "per-image", usd_per_image: 0.03 }, [route("studio", { per_image: 0.02 }, "ember/flash-image")]),
    sold("demo/image-down", "image", { mode: "per-image", usd_per_image: 0.03 }, [
      route("studio", { per_image: 0.02 }, "ember/flash-image+sim-job-fail-500"),
    ]),
    sold("demo/image-lost", "image", { mode: "per-image", usd_per_image: 0.03 }, [
      route("studio", { per_image: 0.02 }, "ember/flash-image+sim-file-fail-404"),
    ]),
    sold("demo/image-run", "image", { mode: "per-image", usd_per_image: 0.03 }, [
      route("studio", { per_image: 0.02 }, "ember/flash-image+sim-slow-5ms"),
    ]),
    sold("demo/edit", "image", { mode: "per-image", usd_per_image: 0.03 }, [route("north", { per_image: 0.02 }, "image-large")], {
      input_modalities: ["text", "image"],
      supports_variations: true,
    }),
    sold("demo/video", "video", { mode: "per-second", usd_per_second: 0.1 }, [route("studio", { per_second: 0.08 }, "tide/video")]),
    sold("demo/say", "speech", { mode: "per-1k-chars", usd_per_1k_chars: 0.07 }, [route("voices-b", { per_1k_chars: 0.05 }, "speech")], {
      voice_family: "provider_b",
      default_voice: "calm-woman",
    }),
    sold("demo/song", "speech", { mode: "per-song", usd_per_song: 0.1 }, [route("studio", { per_request: 0.06 }, "verse/song")], {
      capability: "music",
    }),
    sold("demo/sound", "speech", { mode: "per-call", usd_per_call: 0.1 }, [route("voices-a", { per_request: 0.06 }, "sound-effects")], {
      capability: "sfx",
    }),
    sold("demo/design", "speech", { mode: "per-call", usd_per_call: 2 }, [route("voices-b", { per_request: 1.5 }, "maker")], {
      capability: "voice-design",
      voice_family: "provider_b",
    }),
    sold("demo/clone", "speech", { mode: "per-call", usd_per_call: 2 }, [route("voices-b", { per_request: 1.5 }, "maker")], {
      capability: "voice-clone",
      voice_family: "provider_b",
    }),
    sold(
      "demo/stt",
      "transcription",
      { mode: "per-minute", usd_per_minute: 0.0009, min_billable_minutes: 1 },
      [route("north", { per_minute: 0.0004 }, "stt+sim-bad-json")],
      { fallbacks: ["demo/stt-second"] },
    ),
    sold("demo/stt-second", "transcription", { mode: "per-minute", usd_per_minute: 0.0006, min_billable_minutes: 1 }, [
      route("south", { per_minute: 0.0007 }, "stt"),
    ]),
    sold(
      "demo/translate",
      "transcription",
      { mode: "per-minute", usd_per_minute: 0.0009, min_billable_minutes: 1 },
      [route("north", { per_minute: 0.0004 }, "translate")],
      { supports_translation: true },
    ),
  ],
  tiers: highTiers({}),
};

export async function openWorld() {
  const gateway = await startGateway({ catalog: JSON.stringify(catalog), env: keys });
  return { gateway, account: await gateway.createAccount({ deposit: "100" }) };
}

const decision = {
  state: "The parcel is lost",
  questions: { q: { type: "choice", criteria: { refund: "Give the money back", wait: "Do nothing" } } },
};
const hello = { messages: [{ role: "user", content: "Hello" }] };

interface Asked {
  path: string;
  body: Record<string, unknown>;
  /** Seconds of the recording that a form carries. */
  file?: number;
  /** It is a form with an image. */
  image?: true;
  /** It is a media job, which ends later. */
  job?: true;
}

export const asks = {
  chat: { path: "chat/completions", body: { model: "demo/chat", ...hello } },
  "chat, streamed": { path: "chat/completions", body: { model: "demo/chat", stream: true, ...hello } },
  message: { path: "messages", body: { model: "demo/claude", max_tokens: 50, ...hello } },
  "a message that fills the cache for an hour": {
    path: "messages",
    body: {
      model: "demo/cached",
      max_tokens: 50,
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: "Hello there, you who read this", cache_control: { type: "ephemeral", ttl: "1h" } }],
        },
      ],
    },
  },
  "spread over credentials": { path: "chat/completions", body: { model: "demo/spread", ...hello } },
  response: { path: "responses", body: { model: "demo/chat", input: "Hello" } },
  "a compaction": { path: "responses/compact", body: { model: "demo/compact", input: "Hello" } },
  "a decision": { path: "decisions", body: decision },
  "a decision by its older name": { path: "systemone", body: decision },
  completion: { path: "completions", body: { model: "demo/chat", prompt: "Hello" } },
  "an unreadable answer, then another route's": { path: "chat/completions", body: { model: "demo/second", ...hello } },
  "an unreadable answer alone": { path: "chat/completions", body: { model: "demo/unreadable", ...hello } },
  "an answer that no reader takes": { path: "chat/completions", body: { model: "demo/hopeless", ...hello } },
  "every route down": { path: "chat/completions", body: { model: "demo/down", ...hello } },
  "an interrupted stream": { path: "chat/completions", body: { model: "demo/cut", stream: true, ...hello } },
  "sold below cost": { path: "chat/completions", body: { model: "demo/dear", ...hello } },
  "a route without a cost": { path: "chat/completions", body: { model: "demo/unknown", ...hello } },
  embeddings: { path: "embeddings", body: { model: "demo/embed", input: "Hello" } },
  rerank: { path: "rerank", body: { model: "demo/rank", query: "a", documents: ["a", "b"] } },
  image: { path: "images/generations", body: { model: "demo/image", prompt: "A boat", n: 2 }, job: true },
  "an image that fails": { path: "images/generations", body: { model: "demo/image-down", prompt: "A boat" }, job: true },
  "an image whose file is lost": { path: "images/generations", body: { model: "demo/image-lost", prompt: "A boat", n: 2 }, job: true },
  "an image that is awaited": { path: "genmedia/run", body: { model: "demo/image-run", prompt: "A boat" }, job: true },
  "an edited image": { path: "images/edits", body: { model: "demo/edit", prompt: "At night" }, image: true, job: true },
  "a varied image": { path: "images/variations", body: { model: "demo/edit", n: 2 }, image: true, job: true },
  video: { path: "videos/generations", body: { model: "demo/video", prompt: "A boat", duration_s: 5 }, job: true },
  speech: { path: "audio/speech", body: { model: "demo/say", input: "é".repeat(300) } },
  music: { path: "audio/music", body: { model: "demo/song", prompt: "A boat" } },
  "a sound effect": { path: "audio/sfx", body: { model: "demo/sound", prompt: "A door", duration_seconds: 1 } },
  "a designed voice": { path: "audio/voice-design", body: { description: "An old sailor" } },
  "a cloned voice": { path: "audio/voice-clone", body: { model: "demo/clone" }, file: 11 },
  "a translation": { path: "audio/translations", body: { model: "demo/translate" }, file: 61.5 },
  "a transcription over two routes": { path: "audio/transcriptions", body: { model: "demo/stt" }, file: 61.5 },
} satisfies Record<string, Asked>;

export interface LoggedCall {
  account_id: bigint;
  id: string;
  request_id: string;
  created_at: Date;
  cost: bigint;
  expense: bigint | null;
  status: string;
  input_tokens: bigint;
  cache_read_tokens: bigint;
  cache_write_tokens: bigint;
  output_tokens: bigint;
  attempts: { route: string; outcome: string; cost?: string; response_id?: string; credential?: string }[];
}

/** Makes the call and waits until it is in the log. */
export async function make(gateway: Gateway, account: TestAccount, asked: Asked): Promise<{ reply: TestReply; row: LoggedCall }> {
  const { path, body, file, image } = asked;
  const fields = body as Record<string, string>;
  const form = image ? await imageForm(fields) : file === undefined ? null : await formOf(fields, wavFile(file));
  const sent = form === null ? { body } : { body: form.body, headers: { "content-type": form.type } };
  const reply = await gateway.request("POST", `/v1/${path}`, { key: account.key, ...sent });
  const id = reply.headers["x-request-id"]!;
  return { reply, row: await logged(gateway, id) };
}

async function imageForm(fields: Record<string, string>): Promise<{ body: Buffer; type: string }> {
  const form = new FormData();
  form.append("image", new Blob([new Uint8Array(makeImage("png", 64, 64, "boat").bytes)]), "boat.png");
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const written = new Response(form);
  return { body: Buffer.from(await written.arrayBuffer()), type: written.headers.get("content-type")! };
}

export function logged(gateway: Gateway, requestId: string): Promise<LoggedCall> {
  return eventually(async () => {
    const { rows } = await gateway.context.db.pool.query<LoggedCall>("select * from usage_log where request_id = $1", [requestId]);
    expect(rows).toHaveLength(1);
    return rows[0]!;
  });
}
