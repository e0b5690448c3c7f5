// Ends one try: by the caller's signal, by the stream's own controller, or because nothing came for too long.
import { SvcError } from "./error.js";
import { failure } from "./fail.js";
import { aborted, longestTimer } from "./retry.js";
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
        fault(cause, response) {
            if (SvcError.is(cause))
                return cause;
            const failed = { message: "The connection failed or broke off.", code: "connection_failed", retryable: true, cause };
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
export async function* piecesOf(response, watched) {
    const reader = response.body?.getReader();
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
        throw watched.fault(error, response);
    }
    finally {
        watched.end();
        if (!whole) {
            watched.controller.abort();
            reader?.cancel().catch(() => { });
        }
    }
}
