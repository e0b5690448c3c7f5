// Stores what was made under this gateway's own names, and computes its measures and its price (docs/behaviour/billing.md#modes).
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type KeptFile, MediaFault } from "../media/types.ts";
import type { MadeFile } from "../providers/verbs/media.ts";
import type { Provider } from "../providers/types.ts";
import { billedUnits, mediaCost } from "../pricing/media-cost.ts";
import type { ClaimedJob } from "./claim.ts";
import type { Delivered } from "./end-job.ts";
import { failureOfFile, JobFailure } from "./job-failure.ts";
import type { JobParts } from "./parts.ts";
import type { JobFile, JobRequest } from "./types.ts";

/** A transient error of the store must not lose what is already made. */
const tries = 4;
const pauseMs = 1_000;

interface Deliverable {
  files: readonly MadeFile[];
  provider: Provider;
  /** Names of the files that are in the store; filled also where this fails. */
  kept: string[];
}

/** Rejects with JobFailure, or with the signal's reason. */
export async function deliver(
  parts: JobParts,
  job: ClaimedJob,
  { files, provider, kept: names }: Deliverable,
  signal: AbortSignal,
): Promise<Delivered> {
  const { request } = job;
  const wanted = files.slice(0, request.kind === "image" ? request.order.count : 1);
  if (wanted.length === 0) throw new JobFailure("provider_error", "The provider made nothing.");
  const kept = await keepAll(parts, job, { files: wanted, provider, kept: names }, signal);
  const said = wanted.map(plausible);
  const shown = kept.map((file, index) => shownFile(plausible(file), said[index]!, request));
  const made = {
    count: shown.length,
    pixels: shown.reduce((sum, { width, height }) => sum + width * height, 0),
    seconds: request.kind === "video" ? billedSeconds(said[0]!, shown[0]!) : 0,
  };
  const cost = mediaCost(job.prices, made);
  return { output: { files: shown }, charged: cost < job.estimated ? cost : job.estimated, units: billedUnits(job.prices, made) };
}

/** Unguessable, and the same each time, so that a repeat stores the same names. */
export function fileName(secret: string, index: number): string {
  return createHash("sha256").update(`${secret}/${index}`).digest("hex");
}

async function keepAll(parts: JobParts, job: ClaimedJob, { files, provider, kept }: Deliverable, signal: AbortSignal): Promise<KeptFile[]> {
  const results = await Promise.allSettled(
    files.map(async (file, index) => {
      const order = { file, kind: job.kind, name: fileName(job.secret, index), provider, signal };
      const one = await parts.inTransfer(() => keepOne(parts, order), signal);
      kept.push(one.name);
      return one;
    }),
  );
  signal.throwIfAborted();
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failureOfFile(failed.reason);
  return results.map((result) => (result as PromiseFulfilledResult<KeptFile>).value);
}

async function keepOne({ media, onFault }: JobParts, order: Parameters<JobParts["media"]["keep"]>[0]): Promise<KeptFile> {
  for (let left = tries; ; left--) {
    try {
      return await media.keep(order);
    } catch (error) {
      order.signal.throwIfAborted();
      if (error instanceof MediaFault) throw error;
      onFault(error, "keeping what a job made");
      if (left === 1) throw error;
      await sleep(pauseMs, undefined, { signal: order.signal });
    }
  }
}

/** What was measured, else what the provider reports, else what was asked for. */
function shownFile(kept: Measures & Pick<KeptFile, "name" | "contentType">, made: Measures, request: JobRequest): JobFile {
  const size = request.kind === "image" ? request.order.size : videoSize(request.order.aspect);
  const file = {
    name: kept.name,
    content_type: kept.contentType,
    width: kept.width ?? made.width ?? size.width,
    height: kept.height ?? made.height ?? size.height,
  };
  if (request.kind === "image") return file;
  return { ...file, duration_s: kept.seconds ?? made.seconds ?? request.order.seconds, fps: kept.fps ?? made.fps };
}

/** No request asks for a video's pixels: without a measure it is taken for the usual 720 lines. No price depends on it. */
function videoSize(aspect: string | null) {
  return aspect === "9:16" ? { width: 720, height: 1280 } : { width: 1280, height: 720 };
}

/** The provider's reported duration, else the file's, else the one asked for. */
function billedSeconds(made: Measures, shown: JobFile): number {
  return made.seconds ?? shown.duration_s ?? 0;
}

type Measures = Pick<MadeFile, "width" | "height" | "seconds" | "fps">;

/** Providers and files may report anything: a value that no image or video has counts as absent. Sides are whole pixels. */
function plausible<File extends Measures>(file: File): File {
  const { width, height, seconds, fps } = file;
  const within = (value: number | null, most: number) => (value !== null && value > 0 && value <= most ? value : null);
  const side = (pixels: number | null) => within(pixels === null ? null : Math.round(pixels), sideMax);
  return { ...file, width: side(width), height: side(height), seconds: within(seconds, secondsMax), fps: within(fps, fpsMax) };
}

const sideMax = 1_000_000;
const secondsMax = 86_400;
const fpsMax = 1_000;
