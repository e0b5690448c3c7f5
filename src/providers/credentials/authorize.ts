// Headers that one request needs beside the provider's own: a token that expires, or a signature. Owns their time limit, the fault of a
// provider whose credentials can't be had, and a credential that expires: obtained once for all calls that wait for it, and renewed before
// it ends. What makes them stands beside this file.
import { type Clock, systemClock } from "../../clock.ts";
import { hideMade } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { type Address, targetOf } from "../transport/target.ts";
import type { UpstreamRequest } from "../transport/types.ts";

/** A token's renewal is one short exchange; the machine's own identity may take two. */
const longestMs = 10_000;

/** Name, value, name, value; empty for a provider whose key is in its headers already. Rejects with UpstreamError or the signal's reason. */
export async function authorizationFor(request: UpstreamRequest, { origin, path }: Address, ms = longestMs): Promise<readonly string[]> {
  const { provider, method, body, signal, disconnect } = request;
  const { authorize } = request.authorizer ?? provider;
  if (authorize === undefined) return [];
  const sent = pairsOf([...targetOf(provider).headers, ...(request.headers ?? [])]);
  if (body !== null) sent["content-type"] = request.contentType;
  const bound = Math.min(ms, provider.timeoutMs);
  const stopped = [signal, ...(disconnect === undefined ? [] : [disconnect.stopUpstream])];
  const added = await untilStopped(authorize({ method, origin, path, headers: sent, body }), stopped, bound);
  hideMade(provider, added);
  return Object.entries(added).flat();
}

/** Our own account is at fault, so another route follows and no caller sees why. The sentence never holds a secret. */
export function credentialsFault(detail: string, cause?: unknown): UpstreamError {
  return new UpstreamError("our_fault", detail, { failure: { cause: "credentials", detail }, cause });
}

async function untilStopped<T>(work: Promise<T>, signals: readonly AbortSignal[], ms: number): Promise<T> {
  const stop = Promise.withResolvers<never>();
  const timer = setTimeout(() => stop.reject(credentialsFault(`no credentials within ${ms} ms`)), ms);
  const listeners = signals.map((signal) => {
    const onAbort = () => stop.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    return () => signal.removeEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([work, stop.promise]);
  } catch (error) {
    if (error instanceof UpstreamError || signals.some(({ aborted, reason }) => aborted && reason === error)) throw error;
    // The message of a foreign library may quote a credential.
    throw credentialsFault("the credentials could not be used", error);
  } finally {
    clearTimeout(timer);
    for (const remove of listeners) remove();
  }
}

function pairsOf(flat: readonly string[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at + 1 < flat.length; at += 2) pairs[flat[at]!] = flat[at + 1]!;
  return pairs;
}

export interface Expiring<Value> {
  value: Value;
  /** Null: it doesn't expire. */
  expiresAt: Date | null;
}

interface Renewed<Value> {
  /** Rejects with the error of `obtain` if no earlier value is still valid. */
  get(): Promise<Value>;
  /** The provider refused it. One that is younger than half a minute stays: a refusal then has another reason. */
  forget(): void;
}

/** This long before its end a new one is obtained; the old one still serves meanwhile. */
const earlyMs = 300_000;
/** Too close to its end for a call that is on its way. */
const lastMs = 30_000;
/** After a renewal while the old one holds, since it may fail or bring the same again, and before a refused one is replaced. */
const restMs = 30_000;

export function openRenewed<Value>(obtain: () => Promise<Expiring<Value>>, clock: Clock = systemClock): Renewed<Value> {
  let held: (Expiring<Value> & { since: number }) | null = null;
  let renewing: Promise<Value> | null = null;
  let restsUntil = 0;

  function renew(): Promise<Value> {
    renewing ??= obtain()
      .then((got) => {
        held = { ...got, since: clock().getTime() };
        return got.value;
      })
      .finally(() => {
        restsUntil = clock().getTime() + restMs;
        renewing = null;
      });
    return renewing;
  }

  return {
    get() {
      const now = clock().getTime();
      const leftMs = held === null ? 0 : (held.expiresAt?.getTime() ?? Infinity) - now;
      if (held === null || leftMs <= lastMs) return renew();
      if (leftMs <= earlyMs && now >= restsUntil) renew().catch(() => undefined); // the old one holds for a while
      return Promise.resolve(held.value);
    },
    forget() {
      if (held !== null && clock().getTime() - held.since >= restMs) held = null;
    },
  };
}
