// HTTP towards identity providers, in the form that openid-client takes: a deadline and a size for every answer, no redirects.
// One dispatcher for all of them; what an answer means is the adapters' business.
import type { CustomFetch, CustomFetchOptions, FetchBody } from "openid-client";
import { Agent, request } from "undici";

/** Every call, from connecting to the last byte. In seconds, as openid-client counts. */
export const deadlineSec = 10;

/** Key sets and discovery documents have some kilobytes. */
const answerBytesMax = 1024 * 1024;

/** A burst of sign-ins waits for these sockets; a provider's own limits are not higher. */
const connectionsMax = 16;

/** The provider has not answered the question, whatever the reason. The message is for the log. */
export class ProviderAway extends Error {}

export interface Calls {
  /** openid-client calls it its fetch. */
  send: CustomFetch;
  close(): Promise<void>;
}

interface Read {
  status: number;
  type: string | undefined;
  bytes: Uint8Array<ArrayBuffer>;
}

/** `deadlineMs`: for tests that wait it out. */
export function openCalls({ deadlineMs = deadlineSec * 1000 } = {}): Calls {
  const agent = new Agent({
    connections: connectionsMax,
    connectTimeout: deadlineMs,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxResponseSize: answerBytesMax,
  });
  /** Published documents under way: all who ask for one at the same time get the same answer. */
  const underWay = new Map<string, Promise<Read>>();

  const shared = (url: string, options: CustomFetchOptions): Promise<Read> => {
    const running = underWay.get(url);
    if (running) return running;
    const reading = read(agent, url, options).finally(() => underWay.delete(url));
    underWay.set(url, reading);
    return reading;
  };
  return {
    async send(url, options) {
      // What is asked for with somebody's token is theirs alone.
      const isPublished = options.method === "GET" && !new Headers(options.headers).has("authorization");
      const { status, type, bytes } = await (isPublished ? shared(url, options) : read(agent, url, options));
      return new Response(bytes.length === 0 ? null : bytes, {
        status,
        ...(type === undefined ? {} : { headers: { "content-type": type } }),
      });
    },
    close: () => agent.destroy(),
  };
}

async function read(agent: Agent, url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Read> {
  const limit = signal ?? AbortSignal.timeout(deadlineSec * 1000);
  try {
    const answer = await request(url, { dispatcher: agent, method, headers, body: textOf(body), signal: limit });
    const bytes = await answer.body.bytes();
    if (!isAnswer(method, answer.statusCode)) throw new ProviderAway(`status ${answer.statusCode}`);
    return { status: answer.statusCode, type: answer.headers["content-type"]?.toString(), bytes: new Uint8Array(bytes) };
  } catch (error) {
    throw error instanceof ProviderAway ? error : new ProviderAway(faultWord(error));
  }
}

/** What is asked for by GET is there wherever the provider works; a refusal by POST says something about what was posted. */
function isAnswer(method: string, status: number): boolean {
  return status === 200 || (method !== "GET" && status >= 400 && status < 500 && status !== 429);
}

function textOf(body: FetchBody): string | null {
  return body instanceof URLSearchParams || typeof body === "string" ? body.toString() : null;
}

/** Only the error's code is repeated: a message may quote a header. */
function faultWord(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : (name ?? "unknown fault");
}
