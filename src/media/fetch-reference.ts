// A caller's picture for an upstream that takes bytes.
import { readFile } from "node:fs/promises";
import { type CallerParts, fetchForCaller } from "./fetch-for-caller.ts";
import type { FetchLimits } from "./fetch-to-file.ts";
import { kindOf } from "./kinds.ts";
import type { WithTempFile } from "./temp-files.ts";
import { MediaFault } from "./types.ts";

interface ReferenceParts extends CallerParts {
  withTempFile: WithTempFile;
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
  return parts.withTempFile(async (path) => {
    await fetchForCaller(parts, url, path, signal);
    const kind = await kindOf(path);
    if (kind === null || !taken.has(kind.contentType))
      throw new MediaFault("invalid", "The file at the address is no PNG, JPEG or WebP picture.");
    return { bytes: await readFile(path), contentType: kind.contentType };
  });
}
