// Headers that one request needs beside the provider's own: a token that expires, or a signature. Owns their time limit, and the fault of
// a provider whose credentials can't be had; what makes them stands beside this file.
import { hideMade } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Address } from "../transport/target.ts";
import type { UpstreamRequest } from "../transport/types.ts";
import { targetOf } from "../transport/target.ts";

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
