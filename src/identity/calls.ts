// HTTP towards identity providers, in the form that openid-client takes: a deadline and a size for every answer, no redirects.
// One dispatcher for all of them; what an answer means is the adapters' business.
import type { CustomFetch, FetchBody } from "openid-client";
import { Agent, request } from "undici";

/** Every call, from connecting to the last byte. In seconds, as openid-client counts. */
export const deadlineSec = 10;
const deadlineMs = deadlineSec * 1000;

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

export function openCalls(): Calls {
  const agent = new Agent({
    connections: connectionsMax,
    connectTimeout: deadlineMs,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    maxResponseSize: answerBytesMax,
  });
  return {
    async send(url, { method, headers, body, signal }) {
      const { status, type, bytes } = await ask();
      // What is asked for by GET exists wherever the provider works; a refusal by POST says something about what was posted.
      const usable = method === "GET" ? status === 200 : status >= 200 && status < 500 && status !== 429 && !isRedirect(status);
      if (!usable) throw new ProviderAway(`status ${status}`);
      return new Response(bytes.length === 0 ? null : bytes, {
        status,
        ...(type === undefined ? {} : { headers: { "content-type": type } }),
      });

      async function ask() {
        const limit = signal ?? AbortSignal.timeout(deadlineMs);
        try {
          const answer = await request(url, { dispatcher: agent, method, headers, body: textOf(body), signal: limit });
          const contentType = answer.headers["content-type"];
          return { status: answer.statusCode, type: contentType?.toString(), bytes: await answer.body.bytes() };
        } catch (error) {
          throw new ProviderAway(faultWord(error));
        }
      }
    },
    close: () => agent.destroy(),
  };
}

const isRedirect = (status: number) => status >= 300 && status < 400;

function textOf(body: FetchBody): string | null {
  return body instanceof URLSearchParams || typeof body === "string" ? body.toString() : null;
}

/** Only the error's code is repeated: a message may quote a header. */
function faultWord(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: string };
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? code : (name ?? "unknown fault");
}
