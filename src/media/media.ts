// Builds the parts of src/media from the configuration.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { audioKindOf } from "./audio/kind.ts";
import { openAudioMeter } from "./audio/measure-audio.ts";
import { readBlobAddress } from "./blob-address.ts";
import { callerPolicy, resolveAsSystem, type ResolveName } from "./fetch-policy.ts";
import { type FetchLimits, fetchMade, fetchToFile, madeLimits } from "./fetch-to-file.ts";
import { openFolderStore } from "./folder-store.ts";
import { keepFile, keepLimits, type KeepParts } from "./keep.ts";
import { contentTypeOf, kindOf } from "./kinds.ts";
import { type DiskRoom, diskRoomBytes, openDiskRoom, openTempFiles, type WithTempFile } from "./temp-files.ts";
import { type Media, MediaFault, type Store } from "./types.ts";

/** For tests: other names, other certificates, shorter timeouts. */
export interface MediaOptions {
  resolve?: ResolveName;
  ca?: string;
  pausesMs?: KeepParts["pausesMs"];
  /** Bytes of recordings from addresses that may lie on disk at once. */
  roomBytes?: number;
}

const pausesMs = [300, 2_000];

/** Throws a sentence for the operator where SVC_BLOB_URL can't be used. */
export async function openMedia(
  config: Pick<Config, "dataDir" | "blobUrl" | "allowPrivateUrls">,
  { roomBytes = diskRoomBytes, ...options }: MediaOptions = {},
): Promise<Media> {
  const store = await openStore(config);
  const withFile = await openTempFiles(join(config.dataDir, "media-incoming"));
  const room = openDiskRoom(roomBytes);
  const withTempFile: WithTempFile = (work) => withFile((path) => work(path).finally(() => room.release(path)));
  const parts = { store, withTempFile, resolve: resolveAsSystem, limits: keepLimits, pausesMs, ...options };
  const reference = { withTempFile, allowPrivateUrls: config.allowPrivateUrls, limits: referenceLimits, ...options };
  const made = { withTempFile, resolve: resolveAsSystem, limits: madeLimits, ...options };
  const meter = openAudioMeter();
  return {
    keep: (order) => keepFile(parts, order),
    fetchReference: (url, signal) => fetchReference(reference, url, signal),
    referenceTypeOf,
    fetchAudio: (url, path, signal) => fetchForCaller({ ...reference, limits: audioLimits, room }, url, path, signal),
    audioKindOf,
    measureAudio: (file, signal) => meter.measure(file, signal),
    fetchMade: (url, provider, signal) => fetchMade(made, { url, provider, signal }),
    keepAudio: (order) => keepAudio({ store, withTempFile }, order),
    withTempFile,
    contentTypeOf,
    store,
    async close() {
      await meter.close();
      await store.close();
    },
  };
}

async function openStore({ dataDir, blobUrl }: Pick<Config, "dataDir" | "blobUrl">): Promise<Store> {
  if (blobUrl === null) return openFolderStore(join(dataDir, "media"));
  const address = readBlobAddress(blobUrl);
  const { openS3Store } = await import("./s3-store.ts");
  return openS3Store(address);
}

// Keeps generated audio under an unguessable name. The requested format decides its type, because raw samples can't be recognised by their
// bytes; even an HTML page that a provider sent instead is served as audio (src/server/media-files.ts: nosniff).

interface KeepAudioParts {
  store: Store;
  withTempFile: WithTempFile;
}

function keepAudio(
  { store, withTempFile }: KeepAudioParts,
  { bytes, name: stem, extension }: Parameters<Media["keepAudio"]>[0],
): Promise<{ name: string }> {
  const name = `${stem}.${extension}`;
  return withTempFile(async (path) => {
    const contentType = contentTypeOf(name);
    if (contentType === null) throw new Error("a file's name breaks the rule of KeepOrder");
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
    await store.put(name, path, contentType);
    return { name };
  });
}

// A caller's image for an upstream that takes bytes.

interface ReferenceParts extends CallerParts {
  withTempFile: WithTempFile;
}

/** The largest body that our own requests may have. */
const referenceLimits: FetchLimits = {
  bytesMax: 25 * 1024 * 1024,
  connectMs: 10_000,
  headMs: 15_000,
  idleMs: 15_000,
  wholeMs: 60_000,
};

/** The types that the editing endpoints take. */
const taken = new Set(["image/png", "image/jpeg", "image/webp"]);

function fetchReference(parts: ReferenceParts, url: string, signal: AbortSignal): Promise<{ bytes: Buffer; contentType: string }> {
  return parts.withTempFile(async (path) => {
    await fetchForCaller(parts, url, path, signal);
    const contentType = await referenceTypeOf(path);
    if (contentType === null) throw new MediaFault("invalid", "The file at the address is not a PNG, JPEG or WebP image.");
    return { bytes: await readFile(path), contentType };
  });
}

async function referenceTypeOf(path: string): Promise<string | null> {
  const kind = await kindOf(path);
  return kind !== null && taken.has(kind.contentType) ? kind.contentType : null;
}

// Downloads a caller's URL to the disk. fetch-policy.ts decides which addresses are allowed; the file's type is checked afterwards.

interface CallerParts {
  allowPrivateUrls: boolean;
  limits: FetchLimits;
  /** Absent: the policy's own. */
  resolve?: ResolveName;
  /** See FetchOrder. */
  ca?: string;
  /** Absent: only the limits bound it. */
  room?: DiskRoom;
}

/** Of a recording. A slow line of 5 Mbit/s brings 100 MB in 160 seconds. */
export const audioLimits: FetchLimits = {
  bytesMax: 100 * 1024 * 1024,
  connectMs: 10_000,
  headMs: 15_000,
  idleMs: 15_000,
  wholeMs: 180_000,
};

/** Throws MediaFault or the signal's reason. */
export async function fetchForCaller(parts: CallerParts, url: string, path: string, signal: AbortSignal): Promise<void> {
  const { limits, ca, resolve, allowPrivateUrls, room } = parts;
  const policy = { ...callerPolicy(allowPrivateUrls), ...(resolve !== undefined && { resolve }) };
  const takeRoom = (bytes: number) => room?.take(path, bytes) ?? true;
  await fetchToFile({ url, path, policy, limits, signal, takeRoom, ...(ca !== undefined && { ca }) });
}
