// A caller's recording from its address to the disk.
import type { DiskRoom } from "./disk-room.ts";
import { callerPolicy } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import type { ReferenceParts } from "./fetch-reference.ts";

/** gateway-api.md, transcriptions, mode 2. A slow line of 5 Mbit/s brings 100 MB in 160 seconds. */
export const audioLimits: FetchLimits = {
  bytesMax: 100 * 1024 * 1024,
  connectMs: 10_000,
  headMs: 15_000,
  idleMs: 15_000,
  wholeMs: 180_000,
};

/** What it is, is judged afterwards. Throws MediaFault or the signal's reason. */
export async function fetchAudio(
  parts: Omit<ReferenceParts, "withTempFile"> & { room?: DiskRoom },
  url: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const { limits, ca, resolve, allowPrivateUrls, room } = parts;
  const policy = { ...callerPolicy(allowPrivateUrls), ...(resolve !== undefined && { resolve }) };
  const takeRoom = (bytes: number) => room?.take(path, bytes) ?? true;
  await fetchToFile({ url, path, policy, limits, signal, takeRoom, ...(ca !== undefined && { ca }) });
}
