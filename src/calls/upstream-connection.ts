// The connection of a paid call to its upstream, and what a disconnect of its caller does to it: nothing is sent any more, or the upstream is told
// to stop, or it is read on (docs/behaviour/streams.md#disconnects). What is then charged is the flow's business.
import type { Resolved } from "../catalog/resolve.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Disconnect, UpstreamCall } from "../providers/types.ts";
import type { Attempt } from "../routing/attempt.ts";
import type { Candidate } from "../routing/candidates.ts";
import { type Ask, isDisconnected } from "./ask.ts";

interface UpstreamConnection {
  /** Ends the upstream call at once: the gateway has to stop, or nothing had been sent when the caller disconnected. */
  signal: AbortSignal;
  disconnect: Disconnect;
  /** Whether the provider may bill something. */
  readonly sent: boolean;
  /** Which of the call's attempts it serves. */
  attempt: number;
  /** Ends the upstream call of a caller who has disconnected. */
  close(): void;
}

/** A call, by what its connections need of it. */
export interface Connected {
  ask: Ask;
  admitted: Resolved;
  /** src/routing/attempt.ts appends to it. */
  attempts: Attempt[];
  /** Of the last attempt that was called; null before the first. */
  connection: UpstreamConnection | null;
}

interface Attempting<Answer> {
  heard: UpstreamCall["heard"];
  /** Whether the upstream is to stop when the caller disconnects, once it has the request. Lives as long as the answer. */
  stops: () => boolean;
  work: (upstream: UpstreamCall) => Promise<Answer>;
}

/** One attempt at one route, until its answer is whole or begins. Rejects with the reason of the disconnect where the upstream was told to stop. */
export function callUpstream<Answer>(call: Connected, { route }: Candidate, { heard, stops, work }: Attempting<Answer>): Promise<Answer> {
  const { requestId, caller } = call.ask;
  const { signal, disconnect } = (call.connection = openConnection(call.ask, call.attempts.length, stops));
  const { stopUpstream } = disconnect;
  const upstream = { route, signal, disconnect, heard, requestId, publicModel: call.admitted.model.id, account: caller.accountId };
  return work(upstream).catch((error: unknown) => {
    throw stopUpstream.aborted && isAnsweringAbort(error) ? stopUpstream.reason : error;
  });
}

/** What an upstream says to a connection whose other side was closed: 499 as nginx does, a 5xx, the end of an answer that says nothing. */
function isAnsweringAbort(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { fault, status } = error;
  return fault === "unavailable" || fault === "unreadable" || (status !== null && status >= 499);
}

/** Whether the upstream was told to stop: what it says then answers that, and is no fault of its own. */
export function isStopped({ connection }: Pick<Connected, "connection">): boolean {
  return connection !== null && connection.disconnect.stopUpstream.aborted;
}

/** Whether the caller disconnected while an upstream had the request, which was told to stop before its answer began. */
export function wasStopped({ connection, attempts }: Pick<Connected, "attempts" | "connection">): boolean {
  return connection !== null && connection.sent && attempts[connection.attempt]?.outcome === "aborted";
}

function openConnection(ask: Pick<Ask, "signal" | "stopping">, attempt: number, stops: () => boolean): UpstreamConnection {
  const { signal } = ask;
  const ending = new AbortController();
  const stopUpstream = new AbortController();
  const connection = {
    signal: ending.signal,
    disconnect: { stopUpstream: stopUpstream.signal, onSent: () => void (connection.sent = true), isGone: () => isDisconnected(signal) },
    sent: false,
    attempt,
    close: () => ending.abort(signal.reason),
  };
  const onAbort = () => {
    if (!isDisconnected(signal)) return connection.close();
    endWhenStopping(ask, ending);
    if (!connection.sent) connection.close();
    else if (stops()) stopUpstream.abort(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return connection;
}

/** While the caller is there, its own signal says that the gateway has to stop. */
function endWhenStopping(ask: Pick<Ask, "stopping">, ending: AbortController): void {
  const stopping = ask.stopping();
  const onStopping = () => ending.abort(stopping.reason);
  if (stopping.aborted) onStopping();
  else stopping.addEventListener("abort", onStopping, { once: true });
}
