// The connection of a paid call to its upstream, and what its caller's leaving does to it: nothing is sent any more, or the upstream is told
// to stop, or it is read on (docs/behaviour/streams.md#disconnects). What is then charged is the flow's business.
import { isLeft } from "../concurrency/stopping.ts";
import type { Leaving, UpstreamCall } from "../providers/types.ts";
import type { Candidate } from "../routing/candidates.ts";
import type { Ask } from "./ask.ts";
import type { LoggedCall } from "./log-row.ts";

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

/** A call with the line of its last attempt; null before the first. */
type Connected = Pick<LoggedCall, "ask" | "admitted" | "attempts"> & { line: Line | null };

/** One attempt at one route. `stops`: whether the upstream is to stop when the caller leaves, once it has the request. */
export function upstreamCall(call: Connected, { route }: Candidate, heard: UpstreamCall["heard"], stops: () => boolean): UpstreamCall {
  const { requestId, caller } = call.ask;
  const { signal, leaving } = (call.line = openLine(call.ask, call.attempts.length, stops));
  return { route, signal, leaving, heard, requestId, publicModel: call.admitted.model.id, account: caller.accountId };
}

/** Whether the caller left an upstream that had the request and was told to stop before its answer began. */
export function wasStopped({ line, attempts }: Pick<LoggedCall, "attempts"> & { line: Line | null }): boolean {
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
