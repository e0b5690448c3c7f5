// What every external identity provider can do, and HTTP to them, as the fetch that openid-client takes: a timeout and a size limit for every answer, no redirects. One
// dispatcher for all of them; the adapters interpret the answers, and what it throws becomes an answer here.
import { ClientError, type CustomFetch, type CustomFetchOptions, type FetchBody, ResponseBodyError } from "openid-client";
import { Agent, request } from "undici";
import { isEmailAddress } from "../text/email-address.ts";
import type { GroupRole } from "../text/group-list.ts";

/** Timeout of every call, from connecting to the last byte. In seconds, as openid-client counts. */
export const deadlineSec = 10;

/** Key sets and discovery documents have some kilobytes. */
const answerBytesMax = 1024 * 1024;

/** A burst of sign-ins waits for these sockets; a provider's own limits are not higher. */
const connectionsMax = 16;

/** The provider has not answered. The message is for the log. */
export class ProviderUnavailable extends Error {}

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
  /** Requests for published documents under way: concurrent callers share one. */
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
      // Requests with a user's token are not shared.
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
    if (!isAnswer(method, answer.statusCode)) throw new ProviderUnavailable(`status ${answer.statusCode}`);
    return { status: answer.statusCode, type: answer.headers["content-type"]?.toString(), bytes: new Uint8Array(bytes) };
  } catch (error) {
    throw error instanceof ProviderUnavailable ? error : new ProviderUnavailable(faultWord(error));
  }
}

/** A working provider answers every GET, so a refused one means that it is unavailable; a refused POST is about what was posted. */
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

// Turns what openid-client throws into an answer: refused or unavailable. Its errors hold tokens and whole bodies in their causes, so
// only words known to be harmless are passed on.

/** The provider's answer is valid, but proves no verified address. */
export class NotProven extends Error {}

export async function answerOf<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: "answer", value: await work() };
  } catch (error) {
    return whyNot(error);
  }
}

/** RFC 6749 5.2 and GitHub's own code: the operator's registration is wrong, not the user's credential. */
const clientRefused = new Set(["invalid_client", "unauthorized_client", "incorrect_client_credentials"]);

/** Answers that are not OAuth. */
const garbled = new Set(["OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"]);

export function whyNot(error: unknown): Exclude<Answer<never>, { kind: "answer" }> {
  const unavailable = unavailableIn(error);
  if (unavailable) return { kind: "unavailable", reason: unavailable.message };
  if (error instanceof NotProven) return { kind: "refused", reason: error.message };
  if (error instanceof ResponseBodyError)
    return { kind: clientRefused.has(error.error) ? "unavailable" : "refused", reason: wordOf(error.error) };
  const code = wordOf((error as { code?: unknown }).code);
  if (error instanceof ClientError) return { kind: garbled.has(code) ? "unavailable" : "refused", reason: code };
  // A token that is no JWT at all fails in the parts that read it.
  if (error instanceof TypeError) return { kind: "refused", reason: code };
  throw error;
}

/** openid-client wraps what its fetch throws. */
function unavailableIn(error: unknown): ProviderUnavailable | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++)
    if (cause instanceof ProviderUnavailable) return cause;
  return undefined;
}

function wordOf(code: unknown): string {
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : "unknown";
}

// A provider's address. Whether a new account may have it is up to the sign-in.

export function verifiedAddress(email: unknown): string {
  if (typeof email !== "string" || !isEmailAddress(email)) throw new NotProven("no usable address");
  return email;
}

// Plain data in and out; nothing throws: a provider that does not confirm, or does not answer, is an answer.

export interface IdentityProvider {
  name: string;
  /** The address to open in the browser. */
  authorizationUrl(flow: Flow & { state: string }): Promise<Answer<string>>;
  proveByCode(flow: Flow, code: string): Promise<Answer<Identity>>;
  /** Null: the provider issues no identity tokens. */
  proveByIdToken: ((flow: Flow, idToken: string) => Promise<Answer<Identity>>) | null;
}

/** A sign-in in progress, as it was started. */
export interface Flow {
  redirectUri: string;
  nonce: string;
  /** PKCE's secret, which never goes to the browser. */
  codeVerifier: string;
}

export type Answer<T> =
  | { kind: "answer"; value: T }
  /** The provider does not confirm it; `reason` is for the log and holds no token. */
  | { kind: "refused"; reason: string }
  /** The provider is unavailable, too slow, or does not accept this gateway: nothing that the user can fix. */
  | { kind: "unavailable"; reason: string };

/** The user's identity at the provider, which has verified the address. */
export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  /** The roles that the user's groups give, by workspace; null: the operator named no groups, or the provider does not say which the user has. */
  roles: ReadonlyMap<string, GroupRole> | null;
}

export interface IdentityProviders {
  find(name: string): IdentityProvider | undefined;
  /** Cuts every open call. */
  close(): Promise<void>;
}
