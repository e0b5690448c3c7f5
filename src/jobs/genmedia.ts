// The genmedia operations: what a run asks for, and a media job in fal's format (spec/genmedia/genmedia-job.tsp).
import type { components } from "../../generated/api.d.ts";
import { failParameter } from "../errors/fail.ts";
import { toUsd } from "../money.ts";
import type { ImageFields } from "./image-plan.ts";
import type { ReadJob } from "./read-jobs.ts";
import { fileUrl, shownMoney } from "./show-job.ts";
import type { JobErrorCode, JobOutput } from "./types.ts";
import type { VideoFields } from "./video-plan.ts";

// The fields of a genmedia run: under `input`, or flat beside `model` (docs/behaviour/media-jobs.md#genmedia). The edge has validated nested
// ones; the contract allows anything beside `model`, so flat ones are validated here. Unknown fields are ignored.

type Body = components["schemas"]["GenmediaRequest"];

/** Fails with invalid_parameter. */
export function genmediaInput(body: Body): ImageFields & VideoFields {
  const given = (body.input ?? body) as Record<string, unknown>;
  const read = <T>(name: string, is: (value: unknown) => value is T, what: string): T | null => {
    const value = given[name];
    if (value === undefined || value === null) return null;
    return is(value) ? value : failParameter(name, `it must be ${what}`);
  };
  const text = (name: string) => read(name, isText, "a string");
  const number = (name: string) => read(name, isNumber, "a number");
  return {
    prompt: text("prompt"),
    image_url: text("image_url"),
    image_urls: read("image_urls", isTexts, "an array of strings"),
    audio_url: text("audio_url"),
    n: number("n"),
    size: text("size"),
    quality: text("quality"),
    duration_s: number("duration_s"),
    aspect_ratio: text("aspect_ratio"),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

// Shows a media job in fal's format.

type Schemas = components["schemas"];
type ShownGenmediaJob = Schemas["GenmediaRunning"] | Schemas["GenmediaCompleted"] | Schemas["GenmediaFailed"];

/** fal's error type for each of our codes, used where the provider gave none of its own. */
const falWords: Record<JobErrorCode, string> = {
  content_policy: "content_policy_violation",
  content_policy_likeness: "content_policy_violation",
  content_policy_nsfw: "content_policy_violation",
  content_policy_unsafe: "content_policy_violation",
  moderation_blocked: "content_policy_violation",
  input_too_large: "file_too_large",
  input_invalid: "image_load_error",
  invalid_input: "value_error",
  prompt_too_long: "string_too_long",
  provider_timeout: "generation_timeout",
  timeout: "request_timeout",
  provider_rate_limited: "rate_limited",
  provider_unavailable: "downstream_service_unavailable",
  provider_error: "downstream_service_error",
  insufficient_credits: "insufficient_credits",
  job_cancelled: "client_cancelled",
};

/** For a job that failed or expired. A provider's type is shown only if it looks like one: other texts may name the provider. */
export function genmediaErrorType({ error_code, error_word }: Pick<ReadJob, "error_code" | "error_word">): string {
  return error_word !== null && /^[a-z][a-z0-9_]{0,63}$/.test(error_word) ? error_word : falWords[error_code ?? "provider_error"];
}

/** `requestId` is that of the request that reads the job. */
export function shownGenmediaJob(job: ReadJob, { publicUrl, requestId }: { publicUrl: string; requestId: string }): ShownGenmediaJob {
  switch (job.status) {
    case "queued":
    case "pending":
      return shownRunning(job, "IN_QUEUE");
    case "processing":
      return shownRunning(job, "IN_PROGRESS");
    case "succeeded":
    case "refunded":
      return shownCompleted(job, publicUrl);
    case "failed":
      return shownFailed(job, "FAILED", requestId);
    case "expired":
      return shownFailed(job, "EXPIRED", requestId);
  }
}

function shownRunning(job: ReadJob, status: Schemas["GenmediaRunning"]["status"]): Schemas["GenmediaRunning"] {
  return {
    request_id: job.shown_id,
    status,
    model: job.model,
    hint: `Poll GET /v1/genmedia/jobs/${job.shown_id}`,
    estimated_cost: toUsd(job.estimated),
    charged_amount: null,
    refunded_amount: null,
  };
}

function shownCompleted(job: ReadJob, publicUrl: string): Schemas["GenmediaCompleted"] {
  const { charged_amount, refunded_amount } = shownMoney(job);
  return {
    request_id: job.shown_id,
    status: "COMPLETED",
    model: job.model,
    output: shownOutput(job.kind, job.output!, publicUrl),
    hint: null,
    estimated_cost: toUsd(job.estimated),
    charged_amount: charged_amount ?? 0,
    refunded_amount,
    ...shownTimes(job),
  };
}

function shownOutput(kind: ReadJob["kind"], { files }: JobOutput, publicUrl: string): Schemas["GenmediaCompleted"]["output"] {
  if (kind === "image")
    return {
      images: files.map((file) => ({
        url: fileUrl(publicUrl, file),
        width: file.width,
        height: file.height,
        content_type: file.content_type,
      })),
    };
  const file = files[0]!;
  const { content_type, duration_s = 0, width, height } = file;
  return { video: { url: fileUrl(publicUrl, file), content_type, duration_s, width, height } };
}

function shownFailed(job: ReadJob, status: Schemas["GenmediaFailed"]["status"], requestId: string): Schemas["GenmediaFailed"] {
  const code = job.error_code ?? "provider_error";
  return {
    request_id: job.shown_id,
    status,
    model: job.model,
    error: job.error_message ?? code,
    details: { error_type: genmediaErrorType(job), code, request_id: requestId },
    estimated_cost: toUsd(job.estimated),
    charged_amount: null,
    refunded_amount: shownMoney(job).refunded_amount,
    ...shownTimes(job),
  };
}

function shownTimes({ created_at, completed_at }: ReadJob) {
  return { created_at: created_at.toISOString(), completed_at: (completed_at ?? created_at).toISOString() };
}
