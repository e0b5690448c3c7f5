// What src/media gives: files that outlive their provider, and addresses of callers that are safe to load. Types only.
import type { Readable } from "node:stream";
import type { FetchReference, MadeFile } from "../providers/media.ts";
import type { Provider } from "../providers/types.ts";

/** A file as it was kept. What could not be measured is null. */
export interface KeptFile {
  /** Its name in the store and in its address, extension included. */
  name: string;
  /** Sniffed from its bytes, never believed. */
  contentType: string;
  bytes: number;
  width: number | null;
  height: number | null;
  seconds: number | null;
  fps: number | null;
}

export interface KeepOrder {
  file: MadeFile;
  kind: "image" | "video";
  /** Without extension; keeping under the same name again replaces. */
  name: string;
  /** Who made it: its files may lie wherever it says, on private addresses only where it stands on one itself. */
  provider: Provider;
  signal: AbortSignal;
}

/** A file could not be had: too large, of no known kind, gone. The sentence is for the customer and names no address. */
export class MediaFault extends Error {}

/** Where files lie. Two implementations: a folder, and a bucket that speaks S3. */
export interface Store {
  /** Puts a file that lies on this disk, all of it or nothing; an older one of that name is replaced. Durable when it resolves. */
  put(name: string, path: string, contentType: string): Promise<void>;
  /** Null: there is none of that name. `range` is clipped to the file; null: all of it. */
  open(name: string, range: { from: number; to: number } | null): Promise<OpenFile | null>;
  size(name: string): Promise<number | null>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface OpenFile {
  /** Of the whole file. */
  size: number;
  stream: Readable;
}

export interface Media {
  keep(order: KeepOrder): Promise<KeptFile>;
  fetchReference: FetchReference;
  store: Store;
  close(): Promise<void>;
}
