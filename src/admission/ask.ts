// Who asks, and how its answer is told of: of a request, what the story of a paid call needs.
import type { OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";

export interface Ask {
  operationId: OperationId;
  caller: Caller;
  requestId: string;
  receivedAt: Date;
  /** The same moment of performance.now(), for what it took: a clock may be set. */
  since: number;
  signal: AbortSignal;
  /** Of every answer from now on, a refusal as well. */
  addHeaders: (headers: Record<string, string>) => void;
}

/** Of a request that is more: an answer may stream for minutes, and what it holds for as long is neither its prompt nor its bytes. */
export function askOf({ operationId, caller, requestId, receivedAt, since, signal, addHeaders }: Ask): Ask {
  return { operationId, caller, requestId, receivedAt, since, signal, addHeaders };
}
