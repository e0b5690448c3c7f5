import { type ErrorFields, SvcError } from "./error.js";
/** Longest delay that timers take; a longer one would be none. */
export declare const longestTimer: number;
/** What the gateway asks to wait, in ms: `retry-after-ms`, else `Retry-After` as seconds or as a date; null where neither is. */
export declare function retryAfterOf(headers: Headers): number | null;
/**
 * Whether the same request may be sent once more. What the gateway says in `x-should-retry` holds; without it only a request that
 * can't do anything twice (`repeatable`), or that never left this machine, is repeated.
 */
export declare function mayRepeat(error: SvcError, repeatable: boolean): boolean;
/** Milliseconds before try number `attempt` + 2: what the gateway asks, else from 0.5 s doubling, a random part of it taken off. */
export declare function delayBefore(error: SvcError, attempt: number): number;
/** Waits; an abort ends it at once with `aborted`. Leaves no timer and no listener behind. */
export declare function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void>;
export declare function aborted(cause: unknown): ErrorFields;
