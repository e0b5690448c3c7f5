// What lives as long as the answer to a request: who asked, and where response headers go. A stream may last for minutes, so nothing of the
// body is here.
import type { OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import type { PlannedCall } from "./quote.ts";

export interface Ask {
  operationId: OperationId;
  /** Absent on operations without authentication. */
  caller: Caller;
  requestId: string;
  /** When the request arrived: the one timestamp of a request. */
  receivedAt: Date;
  /** The same moment as performance.now() counts, for durations: a clock may be set. */
  since: number;
  /** Fires when the client has disconnected. */
  signal: AbortSignal;
  /** Fires when the gateway has to stop, also for a caller who has disconnected before. */
  stopping: AbortSignal;
  /** Of the call that an idempotency key claimed: its hold's id. Absent: a new one. */
  callId?: string;
  /** Absent: the request is carried out. Else it is only quoted: this takes what would be counted and held, before anything is. */
  quote?: (planned: PlannedCall) => never;
  /** Adds headers to every answer to this request from now on, refusals included. */
  addHeaders: (headers: Record<string, string>) => void;
}
