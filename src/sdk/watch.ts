// Ends one attempt: by the caller's signal, by the stream's own controller, or after too long a silence.
import { SvcError } from "./error.ts";
import { failure } from "./fail.ts";
import { aborted, longestTimer } from "./retry.ts";

/** Guards one attempt from its request to the end of its answer. */
export interface Watch {
  readonly controller: AbortController;
  /** Starts the timeout for the next bytes. */
  start(): void;
  /** Stops the timeout while the gateway is not expected to send. */
  rest(): void;
  /** The answer has ended: leaves no timer and no listener behind. */
  end(): void;
  /** What an exception of fetch means, or of reading an answer after its head. */
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

/** The chunks of an answer's body. Leaving the loop early cancels the request. */
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
