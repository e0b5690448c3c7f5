// Who sent a request and where its response headers go: what the lifecycle of a paid call needs of a request.
import type { OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";

export interface Ask {
  operationId: OperationId;
  caller: Caller;
  requestId: string;
  receivedAt: Date;
  /** The same moment as performance.now() counts, for durations: a clock may be set. */
  since: number;
  signal: AbortSignal;
  /** Of the call that an idempotency key claimed: its hold's id. Absent: a new one. */
  callId?: string | undefined;
  /** Adds headers to the reply, also to a refusal. */
  addHeaders: (headers: Record<string, string>) => void;
}

/** Copies only these fields of a request: an answer may stream for minutes and must not keep the prompt or the bytes in memory so long. */
export function askOf({ operationId, caller, requestId, receivedAt, since, signal, callId, addHeaders }: Ask): Ask {
  return { operationId, caller, requestId, receivedAt, since, signal, callId, addHeaders };
}
