// Ends one try: by the caller's signal, by the stream's own controller, or because nothing came for too long.
import { SvcError } from "./error.js";
import { abortedError, longestTimer } from "./retry.js";
export function watch(caller, timeout) {
    const controller = new AbortController();
    const stop = () => controller.abort(caller?.reason);
    let timer;
    let late = false;
    const rest = () => clearTimeout(timer);
    if (caller?.aborted)
        stop();
    else
        caller?.addEventListener("abort", stop, { once: true });
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
        fault(cause) {
            if (SvcError.is(cause))
                return cause;
            if (late)
                return new SvcError({ message: `Nothing came for ${timeout} ms.`, code: "timeout", retryable: true, cause });
            if (controller.signal.aborted)
                return abortedError(cause);
            return new SvcError({ message: "The connection failed or broke off.", code: "connection_failed", retryable: true, cause });
        },
    };
}
/** The pieces of an answer's body. Leaving the loop early cancels the request. */
export async function* piecesOf({ body }, watched) {
    const reader = body?.getReader();
    let whole = reader === undefined;
    try {
        while (reader !== undefined) {
            watched.start();
            const { done, value } = await reader.read();
            watched.rest();
            whole = done;
            if (done)
                return;
            yield value;
        }
    }
    catch (error) {
        throw watched.fault(error);
    }
    finally {
        watched.end();
        if (!whole) {
            watched.controller.abort();
            reader?.cancel().catch(() => { });
        }
    }
}
