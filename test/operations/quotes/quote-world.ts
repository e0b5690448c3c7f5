// A gateway that sells something of every kind, with a request for each operation that can be quoted.
import { afterAll, beforeAll, expect } from "vitest";
import { operations, type OperationId } from "../../../generated/operations.ts";
import { ca, type FileServer, startFileServer } from "../../media/file-server.ts";
import { makeImage } from "../../../src/simulator/made/image.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { type Gateway, type NewAccountOptions, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { hello, language, provider } from "../chat/chat-gateway.ts";

const perToken = { mode: "per-token", input: 0.13 };
const made = (id: string, type: string, at: string, pricing: object, more: object = {}) => ({
  ...{ id, type, pricing, routes: [{ provider: at, model: at === "pictures" ? id : id.split("/")[1] }] },
  ...more,
});
const speech = (id: string, at: string, pricing: object, more: object) => made(id, "speech", at, pricing, more);

const models = [
  language("demo/chat", ["chat", "chat-2"], { fallbacks: ["demo/other"] }),
  language("demo/other", ["other"], { pricing: { mode: "per-token", input: 0.4, output: 1 } }),
  {
    ...(language("jev", ["jev"]) as object),
    type: "decisions",
    context_window: 65_536,
    pricing: { mode: "per-token", input: 0.3, output: 7 },
  },
  made("demo/embed", "embedding", "north", perToken, { context_window: 8192 }),
  made("demo/rerank", "reranking", "rankers", perToken, { context_window: 8192 }),
  made("demo/image", "image", "pictures", { mode: "per-image", usd_per_image: 0.04 }),
  made(
    "demo/edit",
    "image",
    "pictures",
    { mode: "per-image", usd_per_image: 0.04 },
    {
      ...{ requires_image: true, max_references: 2, reference_usd: 0.015, supports_mask: true, input_modalities: ["text", "image"] },
    },
  ),
  {
    ...made("demo/vary", "image", "north", { mode: "per-image", usd_per_image: 0.04 }, { supports_variations: true, reference_usd: 0.01 }),
    routes: [{ provider: "north", model: "image-large" }],
  },
  made("demo/nowhere", "image", "text", { mode: "per-image", usd_per_image: 0.04 }),
  made("demo/video", "video", "pictures", { mode: "per-second", usd_per_second: 0.1 }, { durations: [5, 10], default_duration_s: 5 }),
  language("demo/down", ["down+sim-fail-503"]),
  language("demo/narrow", ["narrow"], { context_window: 50, max_output_tokens: 10 }),
  made("demo/words", "transcription", "north", { mode: "per-minute", usd_per_minute: 0.001 }, { supports_timestamps: false }),
  made(
    "demo/scribe",
    "transcription",
    "north",
    { mode: "per-minute", usd_per_minute: 0.006, min_billable_minutes: 1 },
    { supports_translation: true },
  ),
  speech(
    "demo/voice",
    "voices",
    { mode: "per-1k-chars", usd_per_1k_chars: 0.4 },
    { voice_family: "provider_a", default_voice: "lyra-narrator" },
  ),
  speech("demo/score", "voices", { mode: "per-second", usd_per_second: 0.135 }, { capability: "music" }),
  speech("demo/sounds", "voices", { mode: "per-call", usd_per_call: 0.027 }, { capability: "sfx" }),
  speech("demo/design", "mini", { mode: "per-call", usd_per_call: 4.2 }, { capability: "voice-design", voice_family: "provider_b" }),
  speech("demo/clone", "mini", { mode: "per-call", usd_per_call: 2.25 }, { capability: "voice-clone", voice_family: "provider_b" }),
].map((model) => ((model as { id: string }).id === "jev" ? withoutOutput(model as Record<string, unknown>) : model));

function withoutOutput({ max_output_tokens: _, ...model }: Record<string, unknown>): object {
  return model;
}

export interface QuoteWorld {
  readonly gateway: Gateway;
  /** With a deposit of 20 USD by default. */
  account(options?: NewAccountOptions): Promise<TestAccount>;
  quote(account: Pick<TestAccount, "key">, operation: string, body: object | FormData): Promise<TestReply>;
  /** Makes the request itself. */
  call(account: Pick<TestAccount, "key">, operation: OperationId, body: object | FormData): Promise<TestReply>;
  /** Once the request of that id has ended. */
  receiptOf(account: Pick<TestAccount, "key">, reply: TestReply): Promise<any>;
  /** Of a recording of that many seconds. */
  address(seconds: number): string;
}

export function quoteWorld(options: Parameters<typeof startGateway>[0] = {}, tiers = highTiers(), holdsLeft = 0): QuoteWorld {
  let gateway: Gateway;
  let files: FileServer;
  const catalog = JSON.stringify({
    providers: [
      ...["north", "south"].map((id) => provider(id)),
      { id: "pictures", protocol: "fal", base_url: "simulator:/fal" },
      { id: "voices", protocol: "elevenlabs", base_url: "simulator:/elevenlabs" },
      { id: "mini", protocol: "minimax", base_url: "simulator:/minimax" },
      { id: "text", protocol: "anthropic", base_url: "simulator:/anthropic/v1" },
      { id: "rankers", protocol: "rerank", base_url: "simulator:/rerank" },
    ],
    ...{ models, tiers, aliases: { best: "demo/chat" } },
  });
  beforeAll(async () => {
    gateway = await startGateway({ ...options, catalog, env: { SVC_ALLOW_PRIVATE_URLS: "1", ...options.env }, media: { ca } });
    files = await startFileServer((req, res) => {
      res.writeHead(200, { "content-type": "audio/wav" }).end(wavFile(Number(/\d+/.exec(req.url!)![0])));
    });
  });
  afterAll(async () => {
    const audited = await gateway.audit();
    await gateway.stop();
    await files.close();
    expect(audited).toMatchObject({ mismatches: [], reservations_open: 0, holds_open: holdsLeft });
  });
  const world: QuoteWorld = {
    get gateway() {
      return gateway;
    },
    account: (options = { deposit: "20" }) => gateway.createAccount(options),
    async quote({ key }, operation, body) {
      const asked = body instanceof FormData ? formWith([...body, ["operation", operation]]) : { operation, body };
      return gateway.request("POST", "/v1/quote", { key, ...(await written(asked)) });
    },
    async call({ key }, operation, body) {
      return gateway.request("POST", operations[operation].path, { key, ...(await written(body)) });
    },
    async receiptOf({ key }, reply) {
      const read = () => gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key });
      await expect.poll(async () => (await read()).status).toBe(200);
      return (await read()).json;
    },
    address: (seconds) => `https://127.0.0.1:${files.port}/recording-${seconds}.wav`,
  };
  return world;
}

export function formWith(parts: readonly (readonly [string, string | Blob])[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "a.bin");
  }
  return form;
}

async function written(body: object | FormData): Promise<{ body: unknown; headers?: Record<string, string> }> {
  if (!(body instanceof FormData)) return { body };
  const sent = new Response(body);
  return { body: Buffer.from(await sent.arrayBuffer()), headers: { "content-type": sent.headers.get("content-type")! } };
}

const blob = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)]);
export const recordingOf = (seconds: number) => blob(wavFile(seconds));
export const pictureOf = (seed: string) => blob(makeImage("png", 64, 64, seed).bytes);

/** Of each operation whose form can be quoted; `more` replaces parts. */
export function formOf(operation: string, more: Record<string, string | Blob> = {}): FormData {
  const forms: Record<string, [string, string | Blob][]> = {
    createTranscription: [["file", recordingOf(125)], ["model", "demo/scribe"]], // prettier-ignore
    createTranslation: [["model", "demo/scribe"], ["file", recordingOf(61.5)]], // prettier-ignore
    createImageEdit: [
      ...[pictureOf("a"), pictureOf("b")].map((image): [string, Blob] => ["image", image]),
      ...[["mask", pictureOf("m")], ["model", "demo/edit"], ["prompt", "A starry night"], ["n", "3"]] as const, // prettier-ignore
    ] as [string, string | Blob][],
    createImageVariation: [["image", pictureOf("a")], ["model", "demo/vary"], ["n", "2"], ["user", "ada"]], // prettier-ignore
    cloneVoice: [["file", recordingOf(12)]],
  };
  return formWith([...forms[operation]!.filter(([name]) => !(name in more)), ...Object.entries(more)]);
}

/** Of each operation that can be quoted as JSON. `world` is running by then. */
export function bodyOf(world: QuoteWorld, operation: string): Record<string, unknown> {
  const bodies: Record<string, Record<string, unknown>> = {
    createChatCompletion: { model: "best", messages: hello, max_tokens: 40, n: 2 },
    createResponse: { model: "demo/chat", input: "Name a lighthouse.", max_output_tokens: 40 },
    compactResponse: { model: "demo/chat", input: "Name a lighthouse." },
    createMessage: { model: "demo/chat", messages: hello, max_tokens: 50 },
    createCompletion: { model: "demo/chat", prompt: "Once upon", max_tokens: 7 },
    createEmbeddings: { model: "demo/embed", input: ["one", "two words"] },
    createRerank: { model: "demo/rerank", query: "boats", documents: ["a ship", "a train"] },
    createDecision: {
      state: "A parcel.",
      questions: { next: { type: "choice", instructions: "What?", criteria: { yes: null, no: null } } },
    },
    createSystemOneDecision: {
      state: "A box.",
      questions: { next: { type: "choice", instructions: "Why?", criteria: { yes: null, no: null } } },
    },
    createImage: { model: "demo/image", prompt: "A lighthouse", n: 3 },
    createVideo: { model: "demo/video", prompt: "A lighthouse", duration_s: 10 },
    runGenmedia: { model: "demo/image", input: { prompt: "A lighthouse", n: 2 } },
    createSpeech: { model: "demo/voice", input: "Good evening, everyone." },
    createTranscription: { model: "demo/scribe", audio_url: world.address(31) },
    createMusic: { model: "demo/score", prompt: "Calm piano", music_length_ms: 4500 },
    createSoundEffect: { model: "demo/sounds", prompt: "Gulls" },
    designVoice: { description: "An old sailor, rough but kind" },
  };
  return bodies[operation]!;
}
