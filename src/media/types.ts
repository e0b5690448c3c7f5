// What src/media offers: files that outlive their provider, and safe downloads of callers' URLs. Types and the one error.
import type { Readable } from "node:stream";
import type { AudioFile, FetchMade } from "../providers/verbs/audio.ts";
import type { FetchReference, MadeFile } from "../providers/verbs/media.ts";
import type { Provider } from "../providers/types.ts";
import type { FormatFacts } from "../sound/formats.ts";
import type { WithTempFile } from "./temp-files.ts";

/** A stored file. Null where a value could not be measured. */
export interface KeptFile {
  /** Its name in the store and in its address, extension included. */
  name: string;
  /** Recognised by its bytes; nothing else is trusted. */
  contentType: string;
  bytes: number;
  /** Pixels, as the file is shown: a turned photograph's sides are exchanged. */
  width: number | null;
  height: number | null;
  seconds: number | null;
  fps: number | null;
}

export interface KeepOrder {
  file: MadeFile;
  kind: "image" | "video";
  /** Without extension; 16 to 128 of `a-z 0-9 - _`. Keeping under the same name again replaces. */
  name: string;
  /** The provider that made it: its files may be on any public host, on private addresses only where the provider has one itself. */
  provider: Pick<Provider, "baseUrl">;
  signal: AbortSignal;
}

/** `unreachable` may work later. `overloaded`: no room on our disk or no processor time right now. The other two never will. */
export type MediaFaultReason = "too_large" | "invalid" | "unreachable" | "overloaded";

/** A file could not be loaded. The sentence is shown to the customer and names no address. */
export class MediaFault extends Error {
  readonly reason: MediaFaultReason;
  constructor(reason: MediaFaultReason, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.reason = reason;
  }
}

/** Where files are stored. Two implementations: a folder, and a bucket that speaks S3. Names have passed `contentTypeOf`. */
export interface Store {
  /**
   * Stores a file of this disk, all of it or nothing; replaces an older file of that name. Durable when it
   * resolves. The file at `path` may be gone afterwards, because on the same disk it is moved.
   */
  put(name: string, path: string, contentType: string): Promise<void>;
  /** Null: there is no file of that name. Both ends of `range` are included and clipped to the file; null: all of it. */
  open(name: string, range: { from: number; to: number } | null): Promise<OpenFile | null>;
  size(name: string): Promise<number | null>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenFile {
  /** Of the whole file. */
  size: number;
  /** The reader must read it to its end or destroy it. */
  stream: Readable;
}

export interface Media {
  /** Throws MediaFault, the signal's reason, or an Error where the store failed. */
  keep(order: KeepOrder): Promise<KeptFile>;
  /** A caller's image: PNG, JPEG or WebP, 25 MB at most. Throws MediaFault or the signal's reason. */
  fetchReference: FetchReference;
  /** The media type of such an image, by its bytes; null: another kind of file. */
  referenceTypeOf(path: string): Promise<string | null>;
  /**
   * A caller's recording into `path`, which must not exist: 100 MB at most, which count towards what all requests have on disk until
   * `withTempFile` removes it. Throws MediaFault or the signal's reason.
   */
  fetchAudio(url: string, path: string, signal: AbortSignal): Promise<void>;
  /** The kind of a caller's recording, by its bytes; null: a kind that is not taken. */
  audioKindOf(path: string): Promise<AudioKind | null>;
  /**
   * The duration of a recording in seconds, measured from its packets and never taken from its headers. Throws MediaFault: `invalid` where
   * nothing of it decodes, `too_large` where it is longer than 24 hours; or the signal's reason.
   */
  measureAudio(file: Pick<AudioFile, "path" | "extension">, signal: AbortSignal): Promise<number>;
  /** Downloads audio that a provider made: 64 MB at most. */
  fetchMade: FetchMade;
  /** Keeps audio under `name` (see KeepOrder) with `extension`; returns its whole name. Throws where the store failed. */
  keepAudio(order: { bytes: Buffer; name: string; extension: FormatFacts["extension"] }): Promise<{ name: string }>;
  /** For files that a request leaves on disk while it is served. */
  withTempFile: WithTempFile;
  /** By its extension; null: not a name of our files. */
  contentTypeOf(name: string): string | null;
  store: Store;
  close(): Promise<void>;
}

/** The kinds of recordings that are taken. */
export interface AudioKind {
  extension: "mp3" | "wav" | "m4a" | "ogg" | "webm" | "flac";
  contentType: string;
}
