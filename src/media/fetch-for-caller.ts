// A file from an address that a caller gave to the disk: where it may lie is fetch-policy.ts's, what it is, is judged afterwards.
import type { DiskRoom } from "./disk-room.ts";
import { callerPolicy } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import type { ResolveName } from "./resolve-name.ts";

export interface CallerParts {
  allowPrivateUrls: boolean;
  limits: FetchLimits;
  /** Absent: the policy's own. */
  resolve?: ResolveName;
  /** See FetchOrder. */
  ca?: string;
  /** Absent: only the limits bound it. */
  room?: DiskRoom;
}

/** Of a recording: gateway-api.md, transcriptions, mode 2. A slow line of 5 Mbit/s brings 100 MB in 160 seconds. */
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
