// When a call is sent again, and after how long. Says nothing of what is sent.
import { type ErrorFields, SvcError } from "./error.ts";

/** Longest delay that timers take; a longer one would be none. */
export const longestTimer: number = 2 ** 31 - 1;

/** Longest wait of our own between two tries, in ms; the gateway may ask for more. */
const longestBackoff = 8_000;

/** What the gateway asks to wait, in ms: `retry-after-ms`, else `Retry-After` as seconds or as a date; null where neither is. */
export function retryAfterOf(headers: Headers): number | null {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && Number(ms) >= 0) return Number(ms);
  const after = headers.get("retry-after");
  if (after === null) return null;
  const wait = after.trim() === "" || Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/**
 * Whether the same request may be sent once more. What the gateway says in `x-should-retry` holds; without it only a request that
 * can't do anything twice (`repeatable`), or that never left this machine, is repeated.
 */
export function mayRepeat(error: SvcError, repeatable: boolean): boolean {
  const said = error.headers?.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  return error.retryable && (repeatable || neverSent(error.cause));
}

/** Node, Bun and Deno say when no connection was made; browsers don't. */
function neverSent(cause: unknown): boolean {
  const { code, cause: inner } = Object(cause) as { code?: unknown; cause?: unknown };
  const known = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"];
  return known.includes(code as string) || (inner !== undefined && neverSent(inner));
}

/** Milliseconds before try number `attempt` + 2: what the gateway asks, else from 0.5 s doubling, a random part of it taken off. */
export function delayBefore(error: SvcError, attempt: number): number {
  return error.retryAfterMs ?? Math.min(longestBackoff, 500 * 2 ** attempt) * (1 - Math.random() / 2);
}

/** Waits; an abort ends it at once with `aborted`. Leaves no timer and no listener behind. */
export function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new SvcError(aborted(signal?.reason)));
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(ms, longestTimer),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

export function aborted(cause: unknown): ErrorFields {
  return { message: "The call was aborted.", code: "aborted", cause };
}
