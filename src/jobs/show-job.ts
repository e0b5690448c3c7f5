// Shows a media job as the contract does: the image job, the video job, and the short form of one in the queue (spec/jobs/media-job.tsp).
// Pure; makes addresses, so that they follow the gateway's own. genmedia.ts has genmedia's format.
import type { components } from "../../generated/api.d.ts";
import { toUsd } from "../money.ts";
import type { ReadJob } from "./read-jobs.ts";
import type { JobFile, JobPlan, JobStatus } from "./types.ts";

type Schemas = components["schemas"];

const finalStatuses: readonly JobStatus[] = ["succeeded", "failed", "refunded", "expired"];

export function isFinal({ status }: Pick<ReadJob, "status">): boolean {
  return finalStatuses.includes(status);
}

/** Seconds between two polls. */
const pollSeconds = 1;

/** For a reply that shows the job. */
export function pollHeaders(job: Pick<ReadJob, "status">): Record<string, string> {
  return isFinal(job) ? {} : { "retry-after": String(pollSeconds) };
}

/** For the reply to its submit: when to poll, and the alias that was sent. */
export function submitHeaders(job: Pick<ReadJob, "status">, { alias }: Pick<JobPlan, "alias">): Record<string, string> {
  return { ...pollHeaders(job), ...(alias === null ? {} : { "x-svc-alias": alias }) };
}

export function fileUrl(publicUrl: string, { name }: Pick<JobFile, "name">): string {
  return `${publicUrl}/media/${name}`;
}

export function shownJob(job: ReadJob, publicUrl: string): Schemas["MediaJob"] {
  return job.kind === "image" ? shownImageJob(job, publicUrl) : shownVideoJob(job, publicUrl);
}

export function shownImageJob(job: ReadJob, publicUrl: string): Schemas["ImageJob"] {
  const files = job.output?.files ?? [];
  const images = files.map((file) => ({
    ...(files.length > 1 && { url: fileUrl(publicUrl, file) }),
    width: file.width,
    height: file.height,
    content_type: file.content_type,
  }));
  return { id: job.shown_id, object: "image.job", ...shownFields(job), output: shownOutput(files, publicUrl, { images }) };
}

export function shownVideoJob(job: ReadJob, publicUrl: string): Schemas["VideoJob"] {
  const files = job.output?.files ?? [];
  const videos = files.map(({ width, height, duration_s = 0, fps = null, content_type }) => ({
    ...{ width, height, duration_s, fps, content_type },
  }));
  return { id: job.shown_id, object: "video.job", ...shownFields(job), output: shownOutput(files, publicUrl, { videos }) };
}

/** The short reply to a submit that has to wait. A job that started meanwhile has no short form: show it whole. */
export function shownQueuedImageJob(job: ReadJob): Schemas["QueuedImageJob"] {
  return { id: job.shown_id, object: "image.job", ...queuedFields(job) };
}

export function shownQueuedVideoJob(job: ReadJob): Schemas["QueuedVideoJob"] {
  return { id: job.shown_id, object: "video.job", ...queuedFields(job) };
}

function queuedFields(job: ReadJob): Omit<Schemas["QueuedImageJob"], "id" | "object"> {
  return {
    status: "queued",
    queue_position: job.queue_position ?? 1,
    model: job.model,
    created_at: job.created_at.toISOString(),
    estimated_cost: toUsd(job.estimated),
  };
}

function shownOutput<Metadata>(
  files: readonly JobFile[],
  publicUrl: string,
  metadata: Metadata,
): { url: string; metadata: Metadata } | null {
  return files[0] === undefined ? null : { url: fileUrl(publicUrl, files[0]), metadata };
}

function shownFields(job: ReadJob): Omit<Schemas["ImageJob"], "id" | "object" | "output"> {
  return {
    status: job.status,
    ...(job.queue_position !== null && { queue_position: job.queue_position }),
    model: job.model,
    created_at: job.created_at.toISOString(),
    completed_at: job.completed_at?.toISOString() ?? null,
    error: job.error_code === null ? null : { code: job.error_code, message: job.error_message ?? job.error_code },
    estimated_cost: toUsd(job.estimated),
    ...shownMoney(job),
  };
}

/** In USD. */
export function shownMoney({ charged, refunded }: Pick<ReadJob, "charged" | "refunded">) {
  return { charged_amount: charged === null ? null : toUsd(charged), refunded_amount: refunded === null ? null : toUsd(refunded) };
}
