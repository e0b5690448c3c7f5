// What calls share: the gateway's address, the credentials, timeouts and retries.

/** Options of a client. */
export interface ClientOptions {
  /** API key (`svc_…`), or a function that returns it before each call. Default: `SVC_KEY` of the environment. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Session token (`svcs_…`) for calls that change the account: keys, top-ups. Default: `apiKey`. */
  sessionToken?: string | undefined;
  /** Base URL of the gateway, without `/v1`. Default: `SVC_URL` of the environment. */
  baseURL?: string | undefined;
  /** Timeout in milliseconds of each attempt; in a stream, of each pause. Default 600000; Infinity: none. */
  timeout?: number | undefined;
  /** Maximum retries of a call after a failure that allows it. Default 2. */
  maxRetries?: number | undefined;
  /** Longest wait before a retry, in ms: if the gateway asks for a longer one, the error is thrown at once. Default 60000. */
  maxRetryDelay?: number | undefined;
  /** Headers for every call. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of one call. */
export interface RequestOptions {
  /** Aborts the call, its retries and its stream with code `aborted`. */
  signal?: AbortSignal | null | undefined;
  /** As in `ClientOptions`, for this call. */
  timeout?: number | undefined;
  /** As in `ClientOptions`, for this call. */
  maxRetries?: number | undefined;
  /** Headers for this call; they override the client's headers with the same name. */
  headers?: Record<string, string> | undefined;
  /** Undocumented fields of the body, for requests that the gateway forwards as sent: `{ seed: 7 }`. */
  extraBody?: Record<string, unknown> | undefined;
}

/** Options of calls that are charged. */
export interface IdempotentOptions extends RequestOptions {
  /**
   * Identifies this request: sent twice, it is carried out and charged once. Jobs have a random one by default, the same for all retries of a
   * call; other calls only this one, and are then retried like reads.
   */
  idempotencyKey?: string | undefined;
}

/** A client for the functions. Create it with `createClient`. */
export interface Client {
  /** Always a function, so that a printed client shows no secret. */
  readonly apiKey: () => string | undefined | Promise<string>;
  readonly sessionToken: () => string | undefined;
  readonly baseURL: string;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly maxRetryDelay: number;
  readonly headers: Record<string, string>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** Creates a client for the functions of `svc-sdk/functions`. Throws a TypeError if there is no base URL. */
export function createClient(options: ClientOptions = {}): Client {
  const { apiKey = fromEnvironment("SVC_KEY"), sessionToken, baseURL = fromEnvironment("SVC_URL"), headers = {}, fetch: own } = options;
  if (!baseURL) throw new TypeError("svc-sdk: set baseURL, or SVC_URL in the environment.");
  return {
    apiKey: typeof apiKey === "function" ? apiKey : () => apiKey,
    sessionToken: () => sessionToken,
    baseURL: baseURL.replace(/(\/v1)?\/*$/, ""),
    timeout: options.timeout ?? 600_000,
    maxRetries: options.maxRetries ?? 2,
    maxRetryDelay: options.maxRetryDelay ?? 60_000,
    headers,
    // Called as a plain function: browsers refuse fetch as another object's method.
    fetch: own ?? ((url, init) => fetch(url, init)),
  };
}

/** Undefined in browsers, and where a runtime forbids to look. */
function fromEnvironment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined;
  }
}
