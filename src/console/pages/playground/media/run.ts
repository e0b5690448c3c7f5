// Makes what a media tab asks for. Sounds and transcripts are answers: stopping ends the request. Images and videos are jobs: the gateway
// makes them to the end, and stopping ends the waiting alone.
import {
  type Client,
  createImage,
  createMusic,
  createSpeech,
  createTranscription,
  createVideo,
  getJob,
  type ImageRequest,
  type MediaJob,
  type MusicRequest,
  type SpeechRequest,
  SvcError,
  type VideoRequest,
} from "svc-sdk/functions";
import { gatewayUrl } from "../../../lib/place.ts";
import { balanceQuery, noteSessionEnd, queries } from "../../../lib/queries.ts";
import { onWorkspaceChange } from "../../../lib/workspace.ts";
import { forgetKey, playgroundClient } from "../playground-key.ts";
import type { MediaTab } from "./kinds.ts";
import { addRun, changeRun, type MediaRun, readRun, type Result } from "./media-store.ts";

interface MediaOrder {
  tab: MediaTab;
  model: string;
  title: string;
  body: Record<string, unknown>;
  file: File | null;
}

type Made = Pick<MediaRun, "result" | "cost"> & Partial<Pick<MediaRun, "requestId" | "reason">>;

interface Making {
  client: Client;
  body: Record<string, unknown>;
  file: File | null;
  signal: AbortSignal;
  note: (changed: Partial<MediaRun>) => void;
}

const running = new Map<number, AbortController>();

onWorkspaceChange(() => {
  for (const controller of running.values()) controller.abort();
});

export function stopRun(id: number): void {
  running.get(id)?.abort();
}

export async function make({ tab, model, title, body, file }: MediaOrder): Promise<void> {
  const { id } = addRun({ tab, model, title });
  await carryOut(id, (client, signal, note) => makers[tab]({ client, body, file, signal, note }));
}

/** Looks again at a job that was not waited for. */
export async function lookAgain({ id, jobId }: MediaRun): Promise<void> {
  if (jobId === null) return;
  changeRun(id, { state: "running", progress: "Waiting", error: null });
  await carryOut(id, async (client, signal, note) => follow(await getJob(client, jobId, {}, { signal }), { client, signal, note }));
}

type Work = (client: Client, signal: AbortSignal, note: Making["note"]) => Promise<Made>;

async function carryOut(id: number, work: Work): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  running.set(id, controller);
  const note = (changed: Partial<MediaRun>) => changeRun(id, changed);
  const end = (changed: Partial<MediaRun>) => note({ ...changed, wholeMs: Date.now() - (readRun(id)?.startedAt ?? Date.now()) });
  const once = async () => work(await playgroundClient(), signal, note);
  try {
    const made = await once().catch((error: unknown) => {
      // The key has ended before its time: once more with another one.
      if (!SvcError.is(error) || error.status !== 401 || signal.aborted) throw error;
      forgetKey();
      return once();
    });
    end({ ...made, state: made.result === null ? "failed" : "done" });
  } catch (error) {
    const { aborted } = signal;
    end({ state: aborted ? "stopped" : "failed", error: aborted ? null : error });
    if (!aborted) noteSessionEnd(error);
  } finally {
    running.delete(id);
    void queries.invalidateQueries({ queryKey: balanceQuery.queryKey });
  }
}

const makers: Record<MediaTab, (making: Making) => Promise<Made>> = {
  async images({ body, ...making }) {
    const { data, requestId } = await createImage(making.client, body as unknown as ImageRequest, { signal: making.signal }).withResponse();
    making.note({ requestId, jobId: data.id });
    return follow(data, making);
  },
  async video({ body, ...making }) {
    const { data, requestId } = await createVideo(making.client, body as unknown as VideoRequest, { signal: making.signal }).withResponse();
    making.note({ requestId, jobId: data.id });
    return follow(data, making);
  },
  async speech({ client, body, signal }) {
    const { data, requestId } = await createSpeech(client, body as SpeechRequest, { signal }).withResponse();
    return soundOf(data, requestId);
  },
  async music({ client, body, signal }) {
    const { data, requestId } = await createMusic(client, body as unknown as MusicRequest, { signal }).withResponse();
    return soundOf(data, requestId);
  },
  async transcription({ client, body, file, signal }) {
    const audio = file === null ? { audio_url: typeof body["audio_url"] === "string" ? body["audio_url"] : "" } : { file };
    const { audio_url: _, ...fields } = body;
    const input = { ...fields, ...audio } as Parameters<typeof createTranscription>[1] & { response_format?: undefined; stream?: false };
    const { data, requestId } = await createTranscription(client, input, { signal }).withResponse();
    const { text, segments = [], language, duration, billing } = data;
    return { result: { kind: "text", text, segments, language, seconds: duration }, cost: billing.cost_usd, requestId };
  },
};

async function soundOf(
  sound: { blob(): Promise<Blob>; contentType: string; cost: number | null },
  requestId: string | null,
): Promise<Made> {
  const blob = await sound.blob();
  return { result: { kind: "sound", url: URL.createObjectURL(blob), type: sound.contentType }, cost: sound.cost, requestId };
}

const states: Partial<Record<MediaJob["status"], string>> = { queued: "In the queue", pending: "Accepted", processing: "In progress" };
/** Short, because a look tells of progress only when it ends. */
const waitSeconds = 3;
const pauseMs = 400;

type Submitted = Pick<MediaJob, "id" | "status" | "queue_position"> & Partial<MediaJob>;

async function follow(submitted: Submitted, { client, signal, note }: Pick<Making, "client" | "signal" | "note">): Promise<Made> {
  let job = submitted;
  for (;;) {
    const progress = states[job.status];
    if (progress === undefined) return outcomeOf(job as MediaJob);
    note({ progress: job.queue_position === undefined ? progress : `${progress}, position ${job.queue_position}` });
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    // A job goes on where a look at it fails.
    job = await getJob(client, job.id, { wait: waitSeconds }, { signal, maxRetries: 5 });
  }
}

function outcomeOf(job: MediaJob): Made {
  const { output, error, charged_amount: cost } = job;
  if (output === null) return { result: null, cost, reason: error?.message ?? "The job ended without a result." };
  return { result: filesOf(output), cost };
}

function filesOf({ url, metadata }: NonNullable<MediaJob["output"]>): Result {
  if ("images" in metadata) return { kind: "images", files: metadata.images.map((one) => ({ ...one, url: ownAddress(one.url ?? url) })) };
  const video = metadata.videos[0];
  return {
    kind: "video",
    file: { url: ownAddress(url), width: video?.width ?? 0, height: video?.height ?? 0 },
    seconds: video?.duration_s ?? 0,
  };
}

/** Files are the gateway's own. It may be reached by another address here than the one that it publishes. */
function ownAddress(url: string): string {
  const name = /\/media\/([\w.-]+)$/.exec(url)?.[1];
  return name === undefined ? url : `${gatewayUrl}/media/${name}`;
}
