// Ends one try: by the caller's signal, by the stream's own controller, or because nothing came for too long.
import { SvcError } from "./error.ts";
import { failure } from "./fail.ts";
import { aborted, longestTimer } from "./retry.ts";

/** Guards one try from its sending to the end of its answer. */
export interface Watch {
  readonly controller: AbortController;
  /** Starts the time in which something must come. */
  start(): void;
  /** Stops the time: it is not the gateway's turn. */
  rest(): void;
  /** The answer is over: leaves no timer and no listener behind. */
  end(): void;
  /** What an exception of fetch means, or of reading an answer of which the head came. */
  fault(cause: unknown, response?: Response): SvcError;
}

export function watch(caller: AbortSignal | null | undefined, timeout: number): Watch {
  const controller = new AbortController();
  const stop = () => controller.abort(caller?.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let late = false;
  const rest = () => clearTimeout(timer);
  if (caller?.aborted) stop();
  else caller?.addEventListener("abort", stop, { once: true });
  return {
    controller,
    start() {
      rest();
      if (timeout <= longestTimer)
        timer = setTimeout(() => {
          late = true;
          controller.abort();
        }, timeout);
    },
    rest,
    end() {
      rest();
      caller?.removeEventListener("abort", stop);
    },
    fault(cause, response) {
      if (SvcError.is(cause)) return cause;
      const failed = { message: "The connection failed.", code: "connection_failed", retryable: true, cause };
      const fields = late
        ? { ...failed, message: `Nothing came for ${timeout} ms.`, code: "timeout" }
        : controller.signal.aborted
          ? aborted(cause)
          : failed;
      return response === undefined ? new SvcError(fields) : failure(response, fields);
    },
  };
}

/** The pieces of an answer's body. Leaving the loop early cancels the request. */
export async function* piecesOf(response: Response, watched: Watch): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = response.body?.getReader();
  let whole = reader === undefined;
  try {
    while (reader !== undefined) {
      watched.start();
      const { done, value } = await reader.read();
      watched.rest();
      whole = done;
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw watched.fault(error, response);
  } finally {
    watched.end();
    if (!whole) {
      watched.controller.abort();
      reader?.cancel().catch(() => {});
    }
  }
}
