// What a media job is to this room. Types only; the table and its moves stand in migrations 0008 and 0009.
import type { components } from "../../generated/api.d.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Amount } from "../money.ts";
import type { InTurn } from "./account-mutex.ts";
import type { MediaPrices } from "../pricing/media-cost.ts";
import type { VideoOrder, ImageOrder, Ticket } from "../providers/verbs/media.ts";

export type JobStatus = components["schemas"]["JobStatus"];
export type JobErrorCode = components["schemas"]["JobErrorCode"];
export type JobKind = "image" | "video";

/** The endpoint that a job came through: `POST /v1/images/generations`, `/v1/videos/generations` or `/v1/genmedia/run`. */
export type JobDoor = "image" | "video" | "genmedia";

/** What to make, as column `request` keeps it until the job's end. */
export type JobRequest = ({ kind: "image"; order: ImageOrder } | { kind: "video"; order: VideoOrder }) & {
  /** Of the request that it came with; absent: that was not traced. */
  traceparent?: string;
};

/** A request after every rule of its endpoint and model, ready to be submitted. */
export interface JobPlan {
  model: Model;
  /** The name that was sent, where it was an alias. */
  alias: string | null;
  request: JobRequest;
  prices: MediaPrices;
  /** What is held. */
  estimated: Amount;
}

/** A file of a finished job, as column `output` keeps it: every figure is there, whatever could be measured. */
export interface JobFile {
  /** In the store; its address is made when the job is shown. */
  name: string;
  content_type: string;
  width: number;
  height: number;
  /** Of clips. */
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
  door: JobDoor;
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

/** What the composition root starts. */
export interface Jobs {
  /**
   * Resolves when that job has ended, when `ms` are over or when `signal` fires; knows of ends in every process. It may wake before: whoever
   * waits looks at the row again. False: this process stops, and nobody waits in it any more.
   */
  ended(shownId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** For submits: see account-turns.ts. */
  inTurn: InTurn;
  /** A job has got a slot: this process takes it up at once, if it can; others look every second. */
  wake(): void;
  /** Another one, from now on; what a job costs was fixed when it was submitted. */
  useCatalog(catalog: Catalog): void;
  /** How long `POST /v1/genmedia/run` waits for its job (gateway-api.md: 25 s). */
  runWaitMs: number;
  /** Hands its jobs over: takes no more, lets go of what another process can go on with, waits `graceMs` for the rest. */
  stop(graceMs: number): Promise<void>;
}
