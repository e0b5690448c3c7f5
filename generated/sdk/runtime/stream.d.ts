import { type Watch } from "./watch.js";
/**
 * Events of an answer under way; `for await` reads them once. Leaving the loop, or `controller.abort()`, ends the request, and what was
 * made until then is charged. It throws a `SvcError`: `stream_interrupted` when the gateway says that the answer broke off, which is not
 * charged; `connection_failed`, also when it ends before its last event; `timeout`, `aborted`. Read it or abort it: an unread stream keeps
 * its connection.
 */
export interface Stream<T> extends AsyncIterable<T> {
    /** Ends the request; a loop over the stream then throws `aborted`. */
    readonly controller: AbortController;
    /**
     * What the answer cost in USD, once the event that says so has passed; null until then. Chat and completions say it in a last record
     * without choices; it is asked for unless you set `stream_options`.
     */
    readonly cost: number | null;
}
/** For routes whose answer may be server-sent events. */
export declare function stream<T>(response: Response, watched: Watch, type: string): Stream<T> | undefined;
