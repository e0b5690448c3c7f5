// Posts to an address that someone else chose, with the guard of downloads (fetch-to-file.ts): every address is checked when it is connected
// to, no redirect is followed, and of the answer only its beginning is read.
import type { FetchPolicy } from "./fetch-policy.ts";
import { checkUrl, withGuardedClient } from "./guarded-client.ts";
import { MediaFault } from "./types.ts";

export interface PostOrder {
  url: string;
  headers: Record<string, string>;
  body: string;
  policy: FetchPolicy;
  /** From the first name to the last byte, in ms. */
  wholeMs: number;
  /** Bytes of the answer that are kept. */
  keptBytes: number;
  /** Trusted besides the machine's own certificates; for tests. */
  ca?: string | undefined;
}

export interface Posted {
  status: number;
  /** The beginning of the answer's body. */
  text: string;
}

/** Throws a MediaFault, whose sentence holds nothing of this machine's network. */
export async function postGuarded(order: PostOrder): Promise<Posted> {
  const url = checkUrl(order.url, undefined, order.policy);
  const signal = AbortSignal.timeout(order.wholeMs);
  try {
    return await post(url, order, signal);
  } catch (error) {
    if (error instanceof MediaFault) throw error;
    if ((error as { cause?: unknown }).cause instanceof MediaFault) throw (error as { cause: MediaFault }).cause;
    const sentence = signal.aborted ? "The address did not answer in time." : "The address could not be reached.";
    throw new MediaFault("unreachable", sentence, error);
  }
}

function post(url: URL, { policy, headers, body, wholeMs, keptBytes, ca }: PostOrder, signal: AbortSignal): Promise<Posted> {
  const times = { connectMs: wholeMs, headMs: wholeMs, idleMs: wholeMs };
  return withGuardedClient(url, { ...times, policy, ca, signal }, async (client) => {
    const path = `${url.pathname}${url.search}`;
    const answer = await client.request({ method: "POST", path, headers: { ...headers, "accept-encoding": "identity" }, body, signal });
    answer.body.on("error", () => undefined); // a body that is left unread ends with one
    const text = await beginningOf(answer.body, keptBytes).catch(() => ""); // the status came, and it is what counts
    return { status: answer.statusCode, text };
  });
}

/** Not a byte more is read than the chunk that fills it. */
async function beginningOf(body: AsyncIterable<unknown>, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= most) break;
  }
  return Buffer.concat(chunks).subarray(0, most).toString();
}
