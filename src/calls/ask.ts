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
  /** Fires when the gateway has to stop, also for a caller who has disconnected before. Made where it is asked for: few calls need it. */
  stopping: () => AbortSignal;
  /** Of the call that an idempotency key claimed: its hold's id. Absent: a new one. */
  callId?: string;
  /** A line of a batch: it leaves half of each limit to other requests. */
  isBatch?: true;
  /** Its answer may be kept for repeats of the same request, and be one that was kept; absent: neither. */
  keep?: KeepWish;
  /** Absent: the request is carried out. Else it is only quoted: this takes what would be counted and held, before anything is. */
  quote?: (planned: PlannedCall) => never;
  /** What the caller calls the request; undefined: nothing. */
  tags: Record<string, string> | undefined;
  /** Adds headers to every answer to this request from now on, refusals included. */
  addHeaders: (headers: Record<string, string>) => void;
}

export interface KeepWish {
  /** SHA-256 of the request. */
  hash: Buffer;
  /** How long its answer is kept. */
  seconds: number;
  /** A new answer is asked for, whatever is kept. */
  isFresh: boolean;
}

/** As OpenAI bounds them. */
const [pairsMax, keyMax, valueMax] = [16, 64, 512];

/**
 * What the body calls its request, bounded for the usage log: the pairs of `metadata`, and `user`, which Anthropic's dialect has as `user_id` in
 * `metadata`. What is longer, or no plain value, is left out. Undefined: nothing.
 */
export function tagsOf(operationId: OperationId, body: unknown): Record<string, string> | undefined {
  const { metadata, user } = (body ?? {}) as { metadata?: unknown; user?: unknown };
  if ((metadata === undefined || metadata === null) && (user === undefined || user === null)) return undefined;
  const pairs = metadata !== null && typeof metadata === "object" && !Array.isArray(metadata) ? Object.entries(metadata) : [];
  const named = operationId === "createMessage" ? pairs.map(([key, value]) => [key === "user_id" ? "user" : key, value] as const) : pairs;
  const tags: [string, string][] = [];
  for (const [key, value] of [["user", user] as const, ...named]) {
    if (tags.length === pairsMax) break;
    if (key.length > keyMax || (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean")) continue;
    const text = String(value);
    if (key !== "" && text !== "" && text.length <= valueMax) tags.push([storable(key), storable(text)]);
  }
  return tags.length === 0 ? undefined : Object.fromEntries(tags.reverse()); // the first of two wins
}

/** As Postgres takes it. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed();

/** The reason to abort calls whose clients are still connected: their streams count as interrupted, and are free (docs/behaviour/billing.md#ends). */
export class GatewayStopping extends Error {
  constructor() {
    super("the gateway is stopping");
  }
}

/** Whether the client disconnected, rather than the gateway having to stop. */
export function isDisconnected(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof GatewayStopping);
}
