// Downloads audio that a provider made and answered with a URL: through the same guard as every download, and into memory, since it goes
// on to the caller at once.
import { readFile } from "node:fs/promises";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Provider } from "../providers/types.ts";
import { providerPolicy, type ResolveName } from "./fetch-policy.ts";
import { type FetchLimits, fetchToFile } from "./fetch-to-file.ts";
import { fileFailure } from "./file-failure.ts";
import type { WithTempFile } from "./temp-files.ts";
import { MediaFault } from "./types.ts";

interface MadeParts {
  withTempFile: WithTempFile;
  resolve: ResolveName;
  limits: FetchLimits;
  /** See FetchOrder. */
  ca?: string;
}

interface MadeOrder {
  url: string;
  /** Its files may be on any public host, on private addresses only where the provider has one itself. */
  provider: Pick<Provider, "baseUrl">;
  signal: AbortSignal;
}

/** Five minutes of the largest format are 27 MB; audio in the answer itself has the same bound (src/audio/make-audio.ts). */
export const madeLimits: FetchLimits = {
  bytesMax: 64 * 1024 * 1024,
  connectMs: 10_000,
  headMs: 30_000,
  idleMs: 30_000,
  wholeMs: 120_000,
};

/** Throws UpstreamError (`unavailable` where it may work later, else `unreadable`), the signal's reason, or the disk's own error. */
export function fetchMade({ withTempFile, resolve, limits, ca }: MadeParts, { url, provider, signal }: MadeOrder): Promise<Buffer> {
  return withTempFile(async (path) => {
    try {
      const policy = await providerPolicy(provider, resolve);
      await fetchToFile({ url, path, policy, limits, signal, ...(ca !== undefined && { ca }) });
    } catch (cause) {
      if (!(cause instanceof MediaFault)) throw cause;
      const failure = fileFailure(cause);
      throw new UpstreamError(cause.reason === "unreachable" ? "unavailable" : "unreadable", cause.message, { failure, cause });
    }
    return await readFile(path);
  });
}
