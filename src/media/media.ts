// Builds what src/media gives from the configuration.
import { join } from "node:path";
import type { Config } from "../config.ts";
import { audioKindOf } from "./audio/kind.ts";
import { openAudioMeter } from "./audio/measure-audio.ts";
import { readBlobAddress } from "./blob-address.ts";
import { diskRoomBytes, openDiskRoom } from "./disk-room.ts";
import { audioLimits, fetchForCaller } from "./fetch-for-caller.ts";
import { fetchMade, madeLimits } from "./fetch-made.ts";
import { fetchReference, referenceLimits } from "./fetch-reference.ts";
import { openFolderStore } from "./folder-store.ts";
import { keepAudio } from "./keep-audio.ts";
import { type KeepParts, keepFile, keepLimits } from "./keep.ts";
import { contentTypeOf } from "./kinds.ts";
import { type ResolveName, resolveAsSystem } from "./resolve-name.ts";
import { openTempFiles, type WithTempFile } from "./temp-files.ts";
import type { Media, Store } from "./types.ts";

/** For tests: other names, other trust, shorter waiting. */
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
