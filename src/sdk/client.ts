// What calls share: the gateway's address, the credentials, timeouts and retries.

/** How a client is made. */
export interface ClientOptions {
  /** API key (`svc_…`), or a function that returns it before each call. Default: the environment's `SVC_KEY`. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Session token (`svcs_…`) for calls that change the account: keys, top-ups. Default: `apiKey`. */
  sessionToken?: string | undefined;
  /** Address of the gateway, without `/v1`. Default: the environment's `SVC_URL`. */
  baseURL?: string | undefined;
  /** Timeout in milliseconds for each attempt; for a stream the longest silence. Default 600000; Infinity: none. */
  timeout?: number | undefined;
  /** How often a call is retried after a failure that allows it. Default 2. */
  maxRetries?: number | undefined;
  /** Longest wait before a retry, in ms: if the gateway asks for more, the error is thrown at once. Default 60000. */
  maxRetryDelay?: number | undefined;
  /** Sent with every call. */
  headers?: Record<string, string> | undefined;
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** What one call may set for itself. */
export interface RequestOptions {
  /** Aborts the call, its retries and its stream: it fails with code `aborted`. */
  signal?: AbortSignal | null | undefined;
  /** As in `ClientOptions`, for this call. */
  timeout?: number | undefined;
  /** As in `ClientOptions`, for this call. */
  maxRetries?: number | undefined;
  /** Added to the client's headers; they replace those of the same name. */
  headers?: Record<string, string> | undefined;
  /** Undocumented body fields, for requests that the gateway forwards as sent: `{ seed: 7 }`. */
  extraBody?: Record<string, unknown> | undefined;
}

/** Options of calls that start paid jobs. */
export interface IdempotentOptions extends RequestOptions {
  /** Names this submission: sent twice, it starts one job and is charged once. Default: random for each call, the same for its retries. */
  idempotencyKey?: string | undefined;
}

/** A client for the functions. Make it with `createClient`. */
export interface Client {
  /** A function even if a text was given, so that a printed client shows no secret. */
  readonly apiKey: () => string | undefined | Promise<string>;
  readonly sessionToken: () => string | undefined;
  readonly baseURL: string;
  readonly timeout: number;
  readonly maxRetries: number;
  readonly maxRetryDelay: number;
  readonly headers: Record<string, string>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** Makes a client for the functions of `svc-sdk/functions`. Throws a TypeError without an address. */
export function createClient(options: ClientOptions = {}): Client {
  const { apiKey = fromEnvironment("SVC_KEY"), sessionToken, baseURL = fromEnvironment("SVC_URL"), headers = {}, fetch: own } = options;
  if (!baseURL) throw new TypeError("svc-sdk: say baseURL, or set SVC_URL in the environment.");
  return {
    apiKey: typeof apiKey === "function" ? apiKey : () => apiKey,
    sessionToken: () => sessionToken,
    baseURL: baseURL.replace(/(\/v1)?\/*$/, ""),
    timeout: options.timeout ?? 600_000,
    maxRetries: options.maxRetries ?? 2,
    maxRetryDelay: options.maxRetryDelay ?? 60_000,
    headers,
    // Called as a plain function, because browsers refuse fetch as another object's method.
    fetch: own ?? ((url, init) => fetch(url, init)),
  };
}

/** Undefined in browsers, and where a runtime denies access. */
function fromEnvironment(name: string): string | undefined {
  try {
    return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  } catch {
    return undefined;
  }
}
