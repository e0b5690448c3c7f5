// When a call is retried, and after how long. Knows nothing about the request itself.
import { type ErrorFields, SvcError } from "./error.ts";

/** The longest delay of a timer; a longer one would fire at once. */
export const longestTimer: number = 2 ** 31 - 1;

/** Longest backoff of our own, in ms; the gateway may ask for more. */
const longestBackoff = 8_000;

/** What the gateway asks to wait, in ms: `retry-after-ms`, else `Retry-After` as seconds or as a date; null if neither is set. */
export function retryAfterOf(headers: Headers): number | null {
  const ms = headers.get("retry-after-ms");
  if (ms !== null && Number(ms) >= 0) return Number(ms);
  const after = headers.get("retry-after");
  if (after === null) return null;
  const wait = after.trim() === "" || Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/**
 * Whether the same request may be sent once more. The gateway's `x-should-retry` decides; without it only a request that
 * can't do anything twice (`repeatable`), or that never left this machine, is repeated.
 */
export function mayRepeat(error: SvcError, repeatable: boolean): boolean {
  const said = error.headers?.get("x-should-retry");
  if (said === "true" || said === "false") return said === "true";
  return error.retryable && (repeatable || neverSent(error.cause));
}

/** Node, Bun and Deno report that no connection was made; browsers don't. */
function neverSent(cause: unknown): boolean {
  const { code, cause: inner } = Object(cause) as { code?: unknown; cause?: unknown };
  const known = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT", "ConnectionRefused"];
  return known.includes(code as string) || (inner !== undefined && neverSent(inner));
}

/** Milliseconds before try number `attempt` + 2: what the gateway asks for, else doubling from 0.5 s, minus a random part. */
export function delayBefore(error: SvcError, attempt: number): number {
  return error.retryAfterMs ?? Math.min(longestBackoff, 500 * 2 ** attempt) * (1 - Math.random() / 2);
}

/** Waits; an abort ends the wait at once with `aborted`. Leaves no timer and no listener behind. */
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
