// Downloads a URL that someone else chose into a file and guards against SSRF: every hop's address is checked and connected to in one
// step, and sizes that the other side declares are not trusted.
import { open, readFile, rm } from "node:fs/promises";
import type { Dispatcher } from "undici";
import { type Failure, socketFailure, UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Provider } from "../providers/types.ts";
import { countTransferred } from "../transfer-garbage.ts";
import { type FetchPolicy, providerPolicy, type ResolveName } from "./fetch-policy.ts";
import { checkUrl, withGuardedClient } from "./guarded-client.ts";
import type { WithTempFile } from "./temp-files.ts";
import { MediaFault } from "./types.ts";

export interface FetchLimits {
  bytesMax: number;
  connectMs: number;
  headMs: number;
  /** Silence between two chunks of the body, in ms. */
  idleMs: number;
  /** All hops together, from the first name to the last byte, in ms. */
  wholeMs: number;
}

interface FetchOrder {
  url: string;
  /** Path of the file. It must not exist, and doesn't after a failure. */
  path: string;
  policy: FetchPolicy;
  limits: FetchLimits;
  signal: AbortSignal;
  /** Called before each chunk is written; false: there is no room for it. Absent: there always is. */
  takeRoom?: (bytes: number) => boolean;
  /** Trusted besides the machine's own certificates; for tests. */
  ca?: string;
}

/** Browsers follow 20 redirects; no real image needs as many. */
const redirectsMax = 5;

/** Throws MediaFault, the signal's reason, or the disk's own error. */
export async function fetchToFile(order: FetchOrder): Promise<{ bytes: number }> {
  const { path, limits, signal } = order;
  signal.throwIfAborted();
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  let diskFault: unknown = null;
  const write = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.bytesMax) throw tooLarge(limits.bytesMax);
    if (order.takeRoom?.(chunk.length) === false) throw new MediaFault("overloaded", "There is no room for the file.");
    countTransferred(chunk.length);
    await file.appendFile(chunk).catch((error: unknown) => {
      diskFault = error;
      throw error;
    });
  };
  try {
    await followRedirects(order, AbortSignal.any([signal, AbortSignal.timeout(limits.wholeMs)]), write);
    await file.close();
    return { bytes };
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    signal.throwIfAborted();
    if (diskFault !== null || error instanceof MediaFault) throw error;
    throw new MediaFault("unreachable", "The file at the address could not be loaded.", error);
  }
}

async function followRedirects(order: FetchOrder, signal: AbortSignal, write: (chunk: Buffer) => Promise<void>): Promise<void> {
  let url = checkUrl(order.url, undefined, order.policy);
  for (let followed = 0; ; followed++) {
    const location = await load(url, order, signal, write);
    if (location === null) return;
    if (followed === redirectsMax) throw new MediaFault("invalid", "The address redirects too often.");
    url = checkUrl(location, url, order.policy);
  }
}

/** Null: the file is written; else the URL that it redirects to. One connection for each hop, closed with it. */
function load(url: URL, order: FetchOrder, signal: AbortSignal, write: (chunk: Buffer) => Promise<void>): Promise<string | null> {
  return withGuardedClient(url, { ...order.limits, policy: order.policy, ca: order.ca, signal }, async (client) => {
    const headers = { accept: "*/*", "accept-encoding": "identity", "user-agent": "svc-gateway/1" };
    const answer = await client.request({ method: "GET", path: `${url.pathname}${url.search}`, headers, signal });
    answer.body.on("error", () => undefined); // a body that is left unread ends with one
    const location = redirectOf(answer);
    if (location !== null) return location;
    assertWhole(answer, order.limits);
    for await (const chunk of answer.body) await write(chunk as Buffer);
    return null;
  });
}

function redirectOf({ statusCode, headers }: Dispatcher.ResponseData): string | null {
  const { location } = headers;
  return [301, 302, 303, 307, 308].includes(statusCode) && typeof location === "string" ? location : null;
}

function assertWhole({ statusCode, headers }: Dispatcher.ResponseData, { bytesMax }: FetchLimits): void {
  if (statusCode !== 200) {
    const mayPass = statusCode >= 500 || statusCode === 429 || statusCode === 408;
    throw new MediaFault(mayPass ? "unreachable" : "invalid", `The address answered ${statusCode}.`);
  }
  if (Number(headers["content-length"]) > bytesMax) throw tooLarge(bytesMax);
}

function tooLarge(bytesMax: number): MediaFault {
  return new MediaFault("too_large", `The file has more than ${Math.floor(bytesMax / 1024 / 1024)} MB.`);
}

// Downloads audio that a provider made and answered with a URL: through the same guard as every download, and into memory, since it goes
// on to the caller at once.

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

// Why a provider's file could not be loaded, for the operator: the sentence for customers names neither the address nor the error.

export function fileFailure({ message, cause }: MediaFault): Failure {
  const beneath = cause instanceof Error && !(cause instanceof MediaFault) ? ` ${socketFailure(cause).detail}` : "";
  return { cause: "file", detail: message + beneath };
}
