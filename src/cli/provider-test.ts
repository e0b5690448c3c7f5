// `svc provider test`: one small call to a provider through the gateway's own adapter. The provider charges the operator for it.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Refused } from "../accounts/admin.ts";
import { simulatorScheme } from "../catalog/provider.ts";
import { resolveModel } from "../catalog/resolve.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import { newestVersion } from "../catalog/versions.ts";
import type { Config } from "../config.ts";
import { hasEmbedded } from "../db/embedded.ts";
import { findMissing } from "../db/migrate.ts";
import { type Adapters, openAdapters } from "../providers/adapters.ts";
import { failureOf, UpstreamError } from "../providers/errors/upstream-error.ts";
import { connectUpstreams } from "../providers/transport/http.ts";
import type { Provider, Route, UpstreamCall } from "../providers/types.ts";
import { adapterOf } from "../routing/candidates.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { loadServed, modelsOf, namesSimulator } from "./catalog.ts";
import type { Input, Outcome } from "./command.ts";
import { withRawDatabase } from "./with-database.ts";

/** Added to the provider's own timeout for the first byte. */
const answerMs = 60_000;

export async function test({ config, words, options }: Input): Promise<Outcome> {
  const applied = await appliedText(config);
  const simulator = (applied?.includes(simulatorScheme) ?? namesSimulator(config)) ? await startSimulator({}) : null;
  const upstreams = connectUpstreams();
  try {
    const { catalog, unset } = loadServed(applied, config, simulator?.url);
    const { model, route } = choose(catalog, words[0]!, typeof options.model === "string" ? options.model : null);
    const call = probes[model.type]!(openAdapters(upstreams, noFiles), model);
    const signal = AbortSignal.timeout(route.provider.timeoutMs + answerMs);
    const lacks = unset.filter((one) => one.provider === route.provider.id).map(({ variable }) => variable);
    let outcome: Outcome;
    for (const { credential, only } of byCredential(route)) {
      const startedAt = performance.now();
      const asked = call({ route: only, signal, requestId: `req_test_${randomUUID()}`, publicModel: model.id });
      const fault = await asked.then(() => null, faultOf);
      const latencyMs = Math.round(performance.now() - startedAt);
      outcome = outcomeOf(route.provider, model, { latencyMs, fault, lacks, credential });
      if (fault !== null) break;
    }
    return outcome!;
  } finally {
    await upstreams.close();
    await simulator?.close();
  }
}

/** Null: none was applied, as before a first start. */
async function appliedText(config: Config): Promise<string | null> {
  if (config.databaseUrl === null && !hasEmbedded(config.dataDir)) return null;
  return withRawDatabase(config, async (db) => ((await findMissing(db)).isNew ? null : ((await newestVersion(db))?.text ?? null)));
}

/** Each of a provider's credentials is tested, until one fails. */
function byCredential(route: Route): { credential: string | null; only: Route }[] {
  const { credentials } = route.provider;
  if (credentials === undefined) return [{ credential: null, only: route }];
  return credentials.map((one) => ({ credential: one.id, only: { ...route, provider: { ...route.provider, credentials: [one] } } }));
}

/** The test's calls name no files. */
const noFile = (): Promise<never> => Promise.reject(new Error("a test loads no files"));
const noFiles = { fetchReference: noFile, fetchMade: noFile };

interface Fault {
  cause: string;
  detail: string;
  status: number | null;
}

function faultOf(error: unknown): Fault {
  if (error instanceof UpstreamError) return { ...failureOf(error), status: error.status };
  if (error instanceof DOMException && error.name === "TimeoutError")
    return { cause: "timeout_answer", detail: "the answer took too long", status: null };
  throw error;
}

interface Tested {
  latencyMs: number;
  fault: Fault | null;
  /** The provider's variables that are not set here; the gateway may have them. */
  lacks: string[];
  /** The last that was tested; null: the provider has no list of them. */
  credential: string | null;
}

function outcomeOf({ id }: Provider, { id: model }: Model, { latencyMs, fault, lacks, credential }: Tested): Outcome {
  const { cause, detail, status } = fault ?? { cause: null, detail: null, status: 200 };
  const json = {
    ok: fault === null,
    latency_ms: latencyMs,
    cause,
    detail,
    provider: id,
    model,
    status,
    ...(credential === null ? {} : { credential }),
  };
  const end = fault === null ? "ok" : `${fault.cause}: ${fault.detail}`;
  const hint = fault === null || lacks.length === 0 ? "" : `; not set here: ${[...new Set(lacks)].join(", ")}`;
  const by = credential === null || fault === null ? "" : `, credential ${credential}`;
  return { json, text: `${id} (${model}${by}): ${end}, ${latencyMs} ms${hint}`, bad: fault !== null };
}

function choose(catalog: Catalog, providerId: string, modelId: string | null): { model: Model; route: Route } {
  const provider = catalog.providers.get(providerId);
  if (provider === undefined) throw new Refused(`no such provider: ${providerId}`);
  const served = modelsOf(catalog, provider);
  const model = modelId === null ? cheapest(served, providerId) : named(catalog, served, modelId, providerId);
  return { model, route: model.routes.find((route) => route.provider.id === providerId)! };
}

function named(catalog: Catalog, served: readonly Model[], id: string, providerId: string): Model {
  const model = resolveModel(catalog, id)?.model;
  if (model === undefined) throw new Refused(`no such model: ${id}`);
  if (!served.includes(model)) throw new Refused(`${model.id} has no route to ${providerId}`);
  if (!canProbe(model)) throw new Refused(`${model.id} can't be tested: ${untested}`);
  return model;
}

function cheapest(served: readonly Model[], providerId: string): Model {
  if (served.length === 0) throw new Refused(`no model of the catalog has a route to ${providerId}`);
  const active = served.filter(({ state }) => state.kind === "active");
  const model = cheapFirst.flatMap((type) => active.filter((one) => one.type === type && canProbe(one)))[0];
  if (model === undefined) throw new Refused(`${providerId} serves nothing that can be tested: ${untested}`);
  return model;
}

const cheapFirst: readonly Model["type"][] = ["language", "decisions", "embedding", "reranking", "speech", "transcription", "image"];
const untested = "a test makes no videos, music, sounds or voices, sends no pictures, and speaks only with a default voice";

function canProbe({ type, capability, defaultVoice, media }: Model): boolean {
  return probes[type] !== undefined && capability === null && !media.requiresImage && (type !== "speech" || defaultVoice !== null);
}

// The smallest call of each kind of model, for `svc provider test`.

type Probe = (adapters: Adapters, model: Model) => (call: UpstreamCall) => Promise<unknown>;

/** The smallest call of each kind that a provider answers. */
const probes: Partial<Record<Model["type"], Probe>> = {
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
        const order = {
          task: "transcribe" as const,
          file,
          seconds: 1,
          language: null,
          prompt: null,
          temperature: 0,
          timestamps: media.supportsTimestamps,
        };
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

/** The smallest cap that every host accepts. */
const outputMax = 16;

function bodyOf({ route }: UpstreamCall, fields: object): string {
  return JSON.stringify({ model: route.model, ...fields });
}

/** One second of silence as a WAV file: 16,000 samples of 16 bits. */
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
