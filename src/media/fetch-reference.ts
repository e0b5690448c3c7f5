// A caller's picture for an upstream that takes bytes.
import { readFile } from "node:fs/promises";
import { callerPolicy } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import { kindOf } from "./kinds.ts";
import type { ResolveName } from "./resolve-name.ts";
import type { WithTempFile } from "./temp-files.ts";
import { MediaFault } from "./types.ts";

export interface ReferenceParts {
  withTempFile: WithTempFile;
  allowPrivateUrls: boolean;
  limits: FetchLimits;
  /** Absent: the policy's own. */
  resolve?: ResolveName;
  /** See FetchOrder. */
  ca?: string;
}

/** As much as a request of ours may carry. */
export const referenceLimits: FetchLimits = {
  bytesMax: 25 * 1024 * 1024,
  connectMs: 10_000,
  headMs: 15_000,
  idleMs: 15_000,
  wholeMs: 60_000,
};

/** What the editing endpoints take. */
const taken = new Set(["image/png", "image/jpeg", "image/webp"]);

export function fetchReference(parts: ReferenceParts, url: string, signal: AbortSignal): Promise<{ bytes: Buffer; contentType: string }> {
  const { limits, ca, resolve, allowPrivateUrls } = parts;
  const policy = { ...callerPolicy(allowPrivateUrls), ...(resolve !== undefined && { resolve }) };
  return parts.withTempFile(async (path) => {
    await fetchToFile({ url, path, policy, limits, signal, ...(ca !== undefined && { ca }) });
    const kind = await kindOf(path);
    if (kind === null || !taken.has(kind.contentType))
      throw new MediaFault("invalid", "The file at the address is no PNG, JPEG or WebP picture.");
    return { bytes: await readFile(path), contentType: kind.contentType };
  });
}
