// A streamed answer: the events one by one, errors thrown, and an early end never taken for a whole answer.
import { costOf } from "./cost.js";
import { errorFrom, failure, parsed } from "./fail.js";
import { eventsOf } from "./sse.js";
import { piecesOf } from "./watch.js";
/** The last events of chat, messages and responses; `[DONE]` ends the others. */
const lastTypes = ["message_stop", "response.completed", "response.incomplete", "response.failed"];
/** For routes whose answer may be server-sent events. */
export function stream(response, watched, type) {
    if (!type.startsWith("text/event-stream"))
        return undefined;
    let cost = null;
    let taken = false;
    async function* events() {
        let ended = false;
        try {
            for await (const { data } of eventsOf(piecesOf(response, watched))) {
                if (ended || data === "[DONE]") {
                    // Read on to the end of the body: only then can its connection serve again.
                    ended = true;
                    continue;
                }
                const value = parsed(data, response);
                const { type, error } = Object(value);
                if (type === "error" || (error != null && type === undefined))
                    throw errorFrom(value, response, null);
                cost = costOf(value) ?? cost;
                yield value;
                ended = lastTypes.includes(type);
            }
        }
        catch (error) {
            // The answer was whole before the connection broke off: who is told of a failure asks and pays again.
            if (!ended)
                throw error;
        }
        if (!ended)
            throw failure(response, { message: "The stream ended before its last event.", code: "connection_failed", retryable: true });
    }
    return {
        controller: watched.controller,
        get cost() {
            return cost;
        },
        [Symbol.asyncIterator]() {
            if (taken)
                throw new TypeError("svc-sdk: a stream can be read once.");
            taken = true;
            return events();
        },
    };
}
