// The connection of a paid call to its upstream, and what its caller's leaving does to it: nothing is sent any more, or the upstream is told
// to stop, or it is read on (docs/behaviour/streams.md#disconnects). What is then charged is the flow's business.
import type { Resolved } from "../catalog/resolve.ts";
import { isLeft } from "../concurrency/stopping.ts";
import { UpstreamError } from "../providers/errors/upstream-error.ts";
import type { Leaving, UpstreamCall } from "../providers/types.ts";
import type { Attempt } from "../routing/attempt.ts";
import type { Candidate } from "../routing/candidates.ts";
import type { Ask } from "./ask.ts";

export interface Line {
  /** Ends the upstream call at once: the gateway has to stop, or nothing had been sent when the caller left. */
  signal: AbortSignal;
  leaving: Leaving;
  /** Whether the provider may bill something. */
  readonly sent: boolean;
  /** Which of the call's attempts it serves. */
  attempt: number;
  /** Ends the upstream call of a caller who has left. */
  cut(): void;
}

/** A call, by what its connections need of it. */
export interface Connected {
  ask: Ask;
  admitted: Resolved;
  /** src/routing/attempt.ts appends to it. */
  attempts: Attempt[];
  /** Of the last attempt that was called; null before the first. */
  line: Line | null;
}

export interface Attempting<Answer> {
  heard: UpstreamCall["heard"];
  /** Whether the upstream is to stop when the caller leaves, once it has the request. Lives as long as the answer. */
  stops: () => boolean;
  work: (upstream: UpstreamCall) => Promise<Answer>;
}

/** One attempt at one route, until its answer is whole or begins. Rejects with the reason of the leaving where the upstream was told to stop. */
export async function callUpstream<Answer>(
  call: Connected,
  { route }: Candidate,
  { heard, stops, work }: Attempting<Answer>,
): Promise<Answer> {
  const { requestId, caller } = call.ask;
  const { signal, leaving } = (call.line = openLine(call.ask, call.attempts.length, stops));
  const { hangUp } = leaving;
  try {
    return await work({ route, signal, leaving, heard, requestId, publicModel: call.admitted.model.id, account: caller.accountId });
  } catch (error) {
    if (hangUp.aborted && isHangingUp(error)) throw hangUp.reason;
    throw error;
  }
}

/** What an upstream says to a connection whose other side was closed: 499 as nginx does, a 5xx, the end of an answer that says nothing. */
function isHangingUp(error: unknown): boolean {
  if (!(error instanceof UpstreamError)) return false;
  const { fault, status } = error;
  return fault === "unavailable" || fault === "unreadable" || (status !== null && status >= 499);
}

/** Whether the upstream was told to stop: what it says then answers that, and is no fault of its own. */
export function isStopped({ line }: Pick<Connected, "line">): boolean {
  return line !== null && line.leaving.hangUp.aborted;
}

/** Whether the caller left an upstream that had the request and was told to stop before its answer began. */
export function wasStopped({ line, attempts }: Pick<Connected, "attempts" | "line">): boolean {
  return line !== null && line.sent && attempts[line.attempt]?.outcome === "aborted";
}

function openLine({ signal, stopping }: Pick<Ask, "signal" | "stopping">, attempt: number, stops: () => boolean): Line {
  const ending = new AbortController();
  const hangUp = new AbortController();
  const line = {
    signal: ending.signal,
    leaving: { hangUp: hangUp.signal, onSent: () => void (line.sent = true) },
    sent: false,
    attempt,
    cut: () => ending.abort(signal.reason),
  };
  const onLeft = () => {
    if (!isLeft(signal)) return;
    if (!line.sent) line.cut();
    else if (stops()) hangUp.abort(signal.reason);
  };
  const onStopping = () => ending.abort(stopping.reason);
  if (signal.aborted) onLeft();
  else signal.addEventListener("abort", onLeft, { once: true });
  if (stopping.aborted) onStopping();
  else stopping.addEventListener("abort", onStopping, { once: true });
  return line;
}
