// What an adapter that makes pictures or clips takes and gives. Types only. An upstream either answers with what it made, or with a ticket
// under which its work is looked at later; what becomes of the files is not the adapters' business.
import type { UpstreamCall } from "../types.ts";

export interface PixelSize {
  width: number;
  height: number;
}

/** Pictures to make: every rule of the endpoint and of the model is already applied. */
export interface PictureOrder {
  prompt: string;
  /** 1 to 4. */
  count: number;
  /** What the model is asked for, snapped. */
  size: PixelSize;
  /** The aspect of `size`, such as `16:9`; null: none of the six. */
  aspect: string | null;
  /** Where it sets the price; null on all other models. */
  quality: "low" | "medium" | "high" | null;
  /** HTTPS addresses; empty on models that read none. */
  references: string[];
  /** The caller's `extra`, without what sets the price or is moderated. */
  extra: Record<string, unknown>;
}

/** A clip to make. */
export interface ClipOrder {
  prompt: string;
  /** HTTPS address of the first frame; null: none. */
  firstFrame: string | null;
  /** HTTPS address of a sound track; null: none. */
  soundTrack: string | null;
  seconds: number;
  /** `16:9` or `9:16`; null: the model's own. */
  aspect: string | null;
  /** The keys of `extra` that the model reads. */
  extra: Record<string, unknown>;
}

/** A file that an upstream made, and what it says of it; null: nothing. */
export interface MadeFile {
  source: { url: string } | { bytes: Buffer };
  contentType: string | null;
  width: number | null;
  height: number | null;
  seconds: number | null;
  fps: number | null;
}

/** How an upstream names work that it accepted; kept in the database, so that another process can go on with it. */
export interface Ticket {
  id: string;
  statusUrl: string;
  responseUrl: string;
  /** Null: it can't be cancelled. */
  cancelUrl: string | null;
}

export type Begun = { kind: "accepted"; ticket: Ticket } | { kind: "made"; files: MadeFile[] };

export type Looked = { kind: "waiting" } | { kind: "running" } | { kind: "made"; files: MadeFile[] };

export interface PictureCall extends UpstreamCall {
  order: PictureOrder;
  /** Names the work for upstreams that tell a repeated call by it. */
  jobId: string;
}

export interface ClipCall extends UpstreamCall {
  order: ClipOrder;
  jobId: string;
}

/** Throws UpstreamError, whose `job` says why in the words of a job where the upstream did. */
export type MakePictures = (call: PictureCall) => Promise<Begun>;
export type MakeClip = (call: ClipCall) => Promise<Begun>;

/** Work that was accepted before. */
export interface UpstreamQueue {
  /** Throws UpstreamError: `refused`, `rejected` or `failed` where the work has failed, anything else where only the look has. */
  look(call: UpstreamCall, ticket: Ticket): Promise<Looked>;
  /** Asks the upstream to stop; it may have finished all the same. */
  cancel(call: UpstreamCall, ticket: Ticket): Promise<void>;
}

/**
 * Loads an address that a caller gave, for upstreams that take bytes: HTTPS, no private ranges, size cap (src/media).
 * Rejects with a ReferenceFault where it can't be had, with the signal's reason where it fired.
 */
export type FetchReference = (url: string, signal: AbortSignal) => Promise<{ bytes: Buffer; contentType: string }>;

/** What FetchReference rejects with: a MediaFault, as far as adapters look at it. Its sentence is for the customer. */
export interface ReferenceFault extends Error {
  reason: "too_large" | "invalid" | "unreachable";
}
