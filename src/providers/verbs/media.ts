// What an adapter that makes images or videos takes and returns. Types only. An upstream answers with the files, or with a ticket under
// which its work is polled later.
import type { UpstreamCall } from "../types.ts";

export interface PixelSize {
  width: number;
  height: number;
}

/** Images to make; the rules of the endpoint and of the model are already applied. */
export interface ImageOrder {
  /** Empty for variations. */
  prompt: string;
  /** 1 to 4. */
  count: number;
  /** Requested from the model, already snapped to a size that it takes. */
  size: PixelSize;
  /** Aspect ratio of `size`, such as `16:9`; null: none of the six. */
  aspect: string | null;
  /** Set where it decides the price, else null. */
  quality: "low" | "medium" | "high" | null;
  /** HTTPS URLs of reference images, or data URLs of uploaded ones; empty for models that read none. */
  references: string[];
  /** Data URL of the image whose transparent parts are to be edited; absent: the whole image. */
  mask?: string;
  /** True: images that resemble the one reference, without a prompt. Ordered only from models that make them; absent: what the prompt says. */
  isVariation?: true;
  /** The caller's `extra`, without fields that set the price or are moderated. */
  extra: Record<string, unknown>;
}

/** A video to make. */
export interface VideoOrder {
  prompt: string;
  /** HTTPS URL of the first frame; null: none. */
  firstFrame: string | null;
  /** HTTPS URL of a sound track; null: none. */
  soundTrack: string | null;
  seconds: number;
  /** `16:9` or `9:16`; null: the model's own. */
  aspect: string | null;
  /** The keys of `extra` that the model reads. */
  extra: Record<string, unknown>;
}

/** A file that an upstream made, and what it reports about it (null: not reported). */
export interface MadeFile {
  source: { url: string } | { bytes: Buffer };
  contentType: string | null;
  width: number | null;
  height: number | null;
  seconds: number | null;
  fps: number | null;
}

/** How an upstream identifies accepted work; stored in the database, so that another process can continue. */
export interface Ticket {
  id: string;
  statusUrl: string;
  responseUrl: string;
  /** Null: it can't be cancelled. */
  cancelUrl: string | null;
}

export type Begun = { kind: "accepted"; ticket: Ticket } | { kind: "made"; files: MadeFile[] };

export type Looked = { kind: "waiting" } | { kind: "running" } | { kind: "made"; files: MadeFile[] };

export interface ImageCall extends UpstreamCall {
  order: ImageOrder;
  /** Lets upstreams recognise a repeated call. */
  jobId: string;
}

interface VideoCall extends UpstreamCall {
  order: VideoOrder;
  jobId: string;
}

/** Throws UpstreamError; its `job` has the job's error code where the upstream gave a reason. */
export type MakeImages = (call: ImageCall) => Promise<Begun>;
export type MakeVideo = (call: VideoCall) => Promise<Begun>;

/** Work that was accepted before. */
export interface UpstreamQueue {
  /** Throws UpstreamError: `refused`, `rejected` or `failed` where the work has failed, any other fault where only this poll has. */
  look(call: UpstreamCall, ticket: Ticket): Promise<Looked>;
  /** Asks the upstream to stop; the work may be done already. */
  cancel(call: UpstreamCall, ticket: Ticket): Promise<void>;
}

/**
 * Downloads a URL that a caller sent, for upstreams that take bytes: HTTPS only, no private addresses, bounded size (src/media).
 * Rejects with a ReferenceFault where it can't be loaded, with the signal's reason where it fired.
 */
export type FetchReference = (url: string, signal: AbortSignal) => Promise<{ bytes: Buffer; contentType: string }>;

/** The rejection of FetchReference: the part of MediaFault that adapters use. Its sentence is shown to the customer. */
export interface ReferenceFault extends Error {
  reason: "too_large" | "invalid" | "unreachable";
}
