// The smallest call of each kind of model, for `svc provider test`.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Model } from "../catalog/types.ts";
import type { Adapters } from "../providers/adapters.ts";
import type { UpstreamCall } from "../providers/types.ts";
import { adapterOf } from "../routing/candidates.ts";

type Probe = (adapters: Adapters, model: Model) => (call: UpstreamCall) => Promise<unknown>;

/** The smallest call of each kind that a provider answers. */
export const probes: Partial<Record<Model["type"], Probe>> = {
  language: probeChat,
  decisions: probeChat,
  embedding:
    ({ embed }) =>
    (call) =>
      adapterOf(embed, call)({ ...call, body: bodyOf(call, { input: "Hello" }), inputs: 1, dimensions: null, base64: false }),
  reranking:
    ({ rerank }) =>
    (call) =>
      adapterOf(rerank, call)({ ...call, body: bodyOf(call, { query: "Hello", documents: ["Hello"] }), documents: 1, topN: null }),
  speech:
    ({ speech }, { defaultVoice }) =>
    async (call) => {
      const order = { text: "Hello.", voice: defaultVoice ?? "", format: "mp3_44100_128", settings: {}, progressive: false } as const;
      const made = await adapterOf(speech, call)({ ...call, order });
      if (made.kind === "stream") await made.body.read(() => undefined);
    },
  transcription:
    ({ transcribe }, { media }) =>
    (call) =>
      withSilence((path, bytes) => {
        const file = { path, bytes, contentType: "audio/wav", extension: "wav" };
        const order = { file, seconds: 1, language: null, prompt: null, temperature: 0, timestamps: media.supportsTimestamps };
        return adapterOf(transcribe, call)({ ...call, order });
      }),
  image:
    ({ images, queues }, { media, pricing }) =>
    async (call) => {
      const size = media.sizes?.[media.defaultAspect] ?? { width: 1024, height: 1024 };
      const order = {
        prompt: "A dot",
        count: 1,
        size,
        aspect: media.defaultAspect,
        quality: pricing.mode === "per-quality" ? ("low" as const) : null,
        references: [],
        extra: {},
      };
      const begun = await adapterOf(images, call)({ ...call, order, jobId: randomUUID() });
      // The provider has shown that it accepts work; failing to cancel it is no failure.
      if (begun.kind === "accepted") await queues[call.route.provider.protocol]?.cancel(call, begun.ticket).catch(() => undefined);
    },
};

function probeChat({ chat }: Adapters): (call: UpstreamCall) => Promise<unknown> {
  const messages = [{ role: "user", content: "Say OK." }];
  return (call) => adapterOf(chat, call)({ ...call, body: bodyOf(call, { messages, max_tokens: outputMax }), stream: false, outputMax });
}

/** The least that every host takes. */
const outputMax = 16;

function bodyOf({ route }: UpstreamCall, fields: object): string {
  return JSON.stringify({ model: route.model, ...fields });
}

/** A second of it as a WAV file: 16,000 samples of 16 bits. */
async function withSilence<T>(work: (path: string, bytes: number) => Promise<T>): Promise<T> {
  const samples = 16_000;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + samples * 2, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samples, 24);
  head.writeUInt32LE(samples * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36);
  head.writeUInt32LE(samples * 2, 40);
  const file = Buffer.concat([head, Buffer.alloc(samples * 2)]);
  const folder = await mkdtemp(join(tmpdir(), "svc-test-"));
  try {
    const path = join(folder, "silence.wav");
    await writeFile(path, file);
    return await work(path, file.length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
