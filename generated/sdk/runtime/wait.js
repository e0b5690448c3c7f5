import { callOf } from "./call.js";
import { SvcError } from "./error.js";
import { errorFrom, failure } from "./fail.js";
import { pause, retryAfterOf } from "./retry.js";
/** Longest time that the gateway is asked to hold its answer, in seconds; it allows 25. */
const longestWait = 20;
/**
 * Follows a job to its end. An abort ends the waiting, not the job: it can't be recalled once it was ordered.
 * `look` asks for the job; the gateway may hold its answer for `wait` seconds until the job ends.
 */
export function untilDone(client, order, look, options = {}) {
    return callOf(follow(client, order, look, options));
}
async function follow(client, order, look, { onProgress, maxWait = 1_200_000, idempotencyKey: _ordered, ...options }) {
    const until = Date.now() + maxWait;
    // Progress shows in a look only, and a short patience must not break one off.
    const wait = Math.floor(Math.min(onProgress ? 2 : longestWait, (options.timeout ?? client.timeout) / 2000));
    let answer = await order.withResponse();
    for (;;) {
        const { data: job, response } = answer;
        onProgress?.(job);
        if (/^(succeeded|completed)$/i.test(job.status))
            return answer;
        if (/^(failed|refunded|expired)$/i.test(job.status))
            throw failed(job, response);
        if (Date.now() >= until)
            throw running("The job still runs.", job);
        const asked = Date.now();
        answer = await look(job, { wait }, options)
            .withResponse()
            .catch((error) => {
            throw SvcError.is(error) && error.retryable ? running("The job can't be looked at.", job, error) : error;
        });
        const rest = asked + (retryAfterOf(answer.response.headers) ?? 1000) - Date.now();
        if (rest > 0)
            await pause(rest, options.signal);
    }
}
/** Not retryable, whatever the cause: the same order once more would be a second job. */
function running(message, body, cause) {
    return new SvcError({ message, code: "still_running", body, cause });
}
function failed(job, response) {
    if (job.error != null)
        return errorFrom(job, response, null);
    return failure(response, { message: `The job is ${job.status}.`, code: "job_failed", body: job });
}
