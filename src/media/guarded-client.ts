// A connection to an address that someone else chose, guarded against SSRF: each name is checked when it is resolved, and connected to in
// the same step. Downloads (fetch-to-file.ts) and posts go through it; a post follows no redirect and reads only the beginning of the
// answer.
import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { Client } from "undici";
import { hostOf } from "../network/address.ts";
import type { FetchPolicy } from "./fetch-policy.ts";
import { MediaFault } from "./types.ts";

interface GuardedConnection {
  policy: FetchPolicy;
  connectMs: number;
  headMs: number;
  /** Silence between two chunks of the body, in ms. */
  idleMs: number;
  signal: AbortSignal;
  /** Trusted besides the machine's own certificates; for tests. */
  ca?: string | undefined;
}

/** Signed addresses of the large clouds take about 2,000 characters. */
const urlCharsMax = 8_192;
const refusedAddress = "The address does not lead to a public host.";

/** A name is checked when it is resolved; an address in the URL itself is never resolved, so it is checked here. */
export function checkUrl(text: string, base: URL | undefined, policy: FetchPolicy): URL {
  const url = text.length > urlCharsMax ? null : URL.parse(text, base);
  if (url === null) throw new MediaFault("invalid", "The address is not a URL.");
  if (!policy.protocols.includes(url.protocol)) throw new MediaFault("invalid", "The address, or one it redirects to, is not HTTPS.");
  if (url.username !== "" || url.password !== "") throw new MediaFault("invalid", "The address holds a user name or a password.");
  if (!policy.allowsHost(hostOf(url))) throw new MediaFault("invalid", refusedAddress);
  return url;
}

/** Hands over one connection to the URL's origin and closes it with what was done. */
export async function withGuardedClient<T>(url: URL, connection: GuardedConnection, use: (client: Client) => Promise<T>): Promise<T> {
  const { policy, connectMs, headMs, idleMs, signal, ca } = connection;
  const client = new Client(url.origin, {
    connect: {
      lookup: checkedLookup(policy),
      timeout: connectMs,
      maxCachedSessions: 0, // a resumed session would carry bytes that the other side chose
      ...(ca !== undefined && { ca }),
    },
    headersTimeout: headMs,
    bodyTimeout: idleMs,
    maxHeaderSize: 16_384,
    pipelining: 1,
    allowH2: false,
  });
  // The request's own signal is not heard before there is a connection.
  const giveUp = () => void client.destroy(signal.reason as Error).catch(() => undefined);
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await use(client);
  } finally {
    signal.removeEventListener("abort", giveUp);
    await client.destroy();
  }
}

/**
 * The socket connects only to addresses that were checked: a name that resolves differently the next time gains nothing (DNS rebinding).
 * A name may have forbidden addresses beside an allowed one (a network that translates IPv6 adds its own); those are left out.
 */
function checkedLookup(policy: FetchPolicy): LookupFunction {
  return (name, options, callback) => {
    const answer = (addresses: LookupAddress[]) => {
      const allowed = addresses.filter(({ address }) => policy.allows(address));
      const [first] = allowed;
      if (first === undefined) callback(new MediaFault("invalid", refusedAddress), "", 0);
      else if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    policy.resolve(name).then(answer, (error: NodeJS.ErrnoException) => callback(error, "", 0));
  };
}

interface PostOrder {
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

interface Posted {
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
