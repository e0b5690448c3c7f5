// One call: sent at once, repeated where that is safe, its answer read, and given back in three ways.
import type { OperationId } from "../../generated/sdk/types.d.ts";
import type { Client, IdempotentOptions } from "./client.ts";
import { costIn, costOf } from "./cost.ts";
import { type OperationError, SvcError } from "./error.ts";
import { errorOf, parsed, unexpected } from "./fail.ts";
import { delayBefore, mayRepeat, pause } from "./retry.ts";
import { type Watch, watch } from "./watch.ts";

/** An answer with its response, request id and cost. */
export interface Answer<T> {
  readonly data: T;
  /** The response; its body has been read, or `data` reads it. */
  readonly response: Response;
  /** Id of the request, for support and for `usage.receipt`. */
  readonly requestId: string | null;
  /** Cost in USD; null if the answer doesn't say it. A stream knows its cost at the end: see `Stream.cost`. */
  readonly cost: number | null;
}

/** How a call ended, without an exception. */
export type Result<T, E> = ({ readonly ok: true } & Answer<T>) | { readonly ok: false; readonly error: E };

/** A running call. Awaiting it returns the answer or throws a `SvcError`. */
export interface Call<T, Op extends OperationId, Failure = never> extends Promise<T> {
  /** The answer with its headers, request id and cost. Throws like the call itself. */
  withResponse(): Promise<Answer<T>>;
  /** Does not throw if the call fails: `{ ok: true, data, … }` or `{ ok: false, error }`, typed with this operation's errors. */
  result(): Promise<Result<T, OperationError<Op> | Failure>>;
}

/** Reads an answer; undefined when it is not of the reader's kind. */
export type Reader = (response: Response, watched: Watch, type: string) => unknown;

/** What the functions know of their operation. */
export interface Route {
  /** A function where it has parameters: what is wrong with them fails the call, not the line that makes it. */
  readonly path: string | (() => string);
  readonly method?: "POST" | "PATCH" | "DELETE";
  /** Whose token it takes; default: the key's. */
  readonly auth?: "none" | "session" | "either";
  /** Fields of the input that belong into the address; of a GET all do. */
  readonly query?: readonly string[];
  /** Makes the key that lets it be repeated, where it takes one. */
  readonly newKey?: () => string;
  /** Makes the body out of the input, where that is not JSON alone. */
  readonly encode?: (body: Record<string, unknown>) => Promise<FormData | Record<string, unknown>> | Record<string, unknown>;
  /** Media types that it is asked for before JSON. */
  readonly accept?: string | undefined;
  /** Reads answers that are not JSON, where it has such. */
  readonly read?: Reader;
}

export function call<T, Op extends OperationId>(client: Client, route: Route, input?: object, options?: IdempotentOptions): Call<T, Op> {
  return callOf(send(client, route, (input ?? {}) as Record<string, unknown>, options ?? {}) as Promise<Answer<T>>);
}

/** The three ways to take an answer. A caller who takes another one than the promise itself handles its failure. */
export function callOf<T, Op extends OperationId, Failure = never>(sent: Promise<Answer<T>>): Call<T, Op, Failure> {
  const data = sent.then((answer) => answer.data);
  const handled = () => void data.catch(() => {});
  return Object.assign(data, {
    withResponse: () => (handled(), sent),
    result: () => (
      handled(),
      sent.then(
        (answer) => ({ ok: true as const, ...answer }),
        (error: unknown) => {
          if (SvcError.is(error)) return { ok: false as const, error: error as OperationError<Op> | Failure };
          throw error;
        },
      )
    ),
  });
}

async function send(client: Client, route: Route, input: Record<string, unknown>, options: IdempotentOptions): Promise<Answer<unknown>> {
  const { signal, maxRetries = client.maxRetries, timeout = client.timeout } = options;
  const { url, init, repeatable } = await requestOf(client, route, input, options);
  for (let attempt = 0; ; attempt += 1) {
    const watched = watch(signal, timeout);
    try {
      return await once(client, route, url, init, watched);
    } catch (thrown) {
      const error = watched.fault(thrown);
      watched.end();
      watched.controller.abort(); // the rest of an answer that is not read
      const delay = delayBefore(error, attempt);
      if (attempt >= maxRetries || delay > client.maxRetryDelay || !mayRepeat(error, repeatable)) throw error;
      await pause(delay, signal);
    }
  }
}

async function once(client: Client, { read }: Route, url: string, init: RequestInit, watched: Watch): Promise<Answer<unknown>> {
  const { signal } = watched.controller;
  watched.start();
  signal.throwIfAborted();
  const response = await client.fetch(url, { ...init, signal });
  try {
    if (!response.ok) throw await errorOf(response);
    const { headers } = response;
    const data = await dataOf(response, watched, read);
    return { data, response, requestId: headers.get("x-request-id"), cost: costIn(headers) ?? costOf(data) };
  } catch (thrown) {
    throw watched.fault(thrown, response); // what its head said holds, also where the body broke off
  }
}

/** What reads the answer later ends the watch then. */
async function dataOf(response: Response, watched: Watch, read: Reader | undefined): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  if (response.status !== 204 && !/[/+]json\b/.test(type)) {
    watched.rest();
    const data = await read?.(response, watched, type);
    if (data === undefined) throw unexpected(`Unexpected answer of type ${type || "unknown"}.`, response);
    return data;
  }
  const text = await response.text();
  watched.end();
  return response.status === 204 ? undefined : parsed(text, response);
}

async function requestOf(client: Client, route: Route, input: Record<string, unknown>, options: IdempotentOptions) {
  const { method = "GET", path, auth, query, newKey, encode, accept } = route;
  const headers: Record<string, string> = { accept: accept === undefined ? "application/json, */*" : `${accept}, application/json` };
  const token = (await tokenFor(client, auth))?.trim();
  // Checked here: what fetch throws of it would hold it.
  if (token && /[^!-~]/.test(token)) throw new TypeError("svc-sdk: the key or token has characters that are not allowed in a header.");
  if (token) headers.authorization = `Bearer ${token}`;
  // An order that is named in its body needs no second name.
  const key = options.idempotencyKey ?? newKey?.();
  if (key !== undefined && input.idempotency_key == null) headers["idempotency-key"] = key;
  const asked = new URLSearchParams();
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (method !== "GET" && !query?.includes(name)) rest[name] = value;
    else if (value != null) asked.set(name, String(value as string));
  }
  let body: string | FormData | null = null;
  if (method === "POST" || method === "PATCH") {
    Object.assign(rest, options.extraBody);
    const encoded = encode === undefined ? rest : await encode(rest);
    if (encoded instanceof FormData) body = encoded;
    else {
      body = JSON.stringify(encoded);
      headers["content-type"] = "application/json";
    }
  }
  for (const [name, value] of Object.entries({ ...client.headers, ...options.headers })) headers[name.toLowerCase()] = value;
  const search = asked.toString();
  const url = client.baseURL + (typeof path === "string" ? path : path()) + (search && `?${search}`);
  return { url, init: { method, headers, body }, repeatable: method === "GET" || key !== undefined };
}

async function tokenFor({ apiKey, sessionToken }: Client, auth: Route["auth"]): Promise<string | undefined> {
  if (auth === "none") return undefined;
  if (auth === "session") return sessionToken() ?? (await apiKey());
  return (await apiKey()) ?? (auth === "either" ? sessionToken() : undefined);
}
