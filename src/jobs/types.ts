// The types of media jobs, and what a failed one says. The table is in src/db/migrations, its moves in src/db/functions.
import type { components } from "../../generated/api.d.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Amount } from "../money.ts";
import type { AccountMutex } from "../concurrency/slots.ts";
import type { MediaPrices } from "../pricing/media-cost.ts";
import type { VideoOrder, ImageOrder, Ticket } from "../providers/verbs/media.ts";

export type JobStatus = components["schemas"]["JobStatus"];
export type JobErrorCode = components["schemas"]["JobErrorCode"];
export type JobKind = "image" | "video";

/** The API that a job came through: `POST /v1/images/generations`, `/v1/videos/generations` or `/v1/genmedia/run`. */
export type JobApi = "image" | "video" | "genmedia";

/** What to make, as column `request` stores it until the job's end. */
export type JobRequest = ({ kind: "image"; order: ImageOrder } | { kind: "video"; order: VideoOrder }) & {
  /** Of an edit: what was uploaded. A claim leaves it in the row; it is read when a route is asked. */
  uploads?: Uploads;
  /** That of the submitting request; absent: it was not traced. */
  traceparent?: string;
};

/** Data URLs: they are in the job's row until its end, so that any process can run it and nothing is left behind. */
export interface Uploads {
  images: string[];
  mask?: string;
}

/** A request that passed every rule of its endpoint and model, ready to be submitted. */
export interface JobPlan {
  model: Model;
  /** The alias that was sent; null: it was the model's id. */
  alias: string | null;
  request: JobRequest;
  prices: MediaPrices;
  /** The amount to hold. */
  estimated: Amount;
}

/** A file of a finished job, as column `output` stores it. Every figure is present, measured or not. */
export interface JobFile {
  /** In the store; its address is made when the job is shown. */
  name: string;
  content_type: string;
  width: number;
  height: number;
  /** For videos. */
  duration_s?: number;
  fps?: number | null;
}

export interface JobOutput {
  files: JobFile[];
}

/** A row of media_job; bigint amounts in units of 1e-8 USD. */
export interface JobRow {
  id: string;
  account_id: bigint;
  api: JobApi;
  kind: JobKind;
  shown_id: string;
  status: JobStatus;
  seq: bigint;
  model: string;
  alias: string | null;
  request: JobRequest | null;
  prices: MediaPrices;
  secret: string;
  estimated: Amount;
  charged: Amount | null;
  refunded: Amount | null;
  output: JobOutput | null;
  error_code: JobErrorCode | null;
  error_message: string | null;
  error_word: string | null;
  route: string | null;
  upstream: Ticket | null;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
}

/** The engine that the composition root starts. */
export interface Jobs {
  /**
   * Resolves when that job has ended in any process, after `ms`, or when `signal` fires. It may resolve early: read the row again. False: this
   * process stops, and waiting is over.
   */
  ended(shownId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** For submits, which lock the account's balance. */
  accountMutex: AccountMutex;
  /** A job has got a slot: this process claims it at once, if it can; others look every second. */
  wake(): void;
  /** Uses another catalog from now on; a job's prices were fixed at its submit. */
  useCatalog(catalog: Catalog): void;
  /** How long a submit retries. */
  submitTimeoutMs: number;
  /** How long `POST /v1/genmedia/run` waits for its job. */
  runWaitMs: number;
  /** Takes no more jobs, hands over what another process can continue, and waits `graceMs` for the rest. */
  stop(graceMs: number): Promise<void>;
}

/** What the customer reads of a failed job, without its stop. */
export const failureSentences: Record<JobErrorCode, string> = {
  content_policy: "The provider refused the content",
  content_policy_likeness: "The provider refused to depict this person",
  content_policy_nsfw: "The provider refused the content as not safe for work",
  content_policy_unsafe: "The provider refused the content as unsafe",
  moderation_blocked: "Moderation blocked the content",
  input_too_large: "An input is too large for the model",
  input_invalid: "An input can't be used by the model",
  invalid_input: "The provider rejected the request",
  prompt_too_long: "The prompt is too long for the model",
  provider_timeout: "The provider did not finish in time",
  timeout: "The job was not finished in time",
  provider_rate_limited: "The provider is receiving too many requests at the moment",
  provider_unavailable: "The provider is not available at the moment",
  insufficient_credits: "The balance does not reach for this job",
  provider_error: "The provider failed to make it",
  job_cancelled: "The operator of the gateway cancelled the job",
};
