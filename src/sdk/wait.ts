// Jobs from their order to their result in one call.
import type { OperationId } from "../../generated/sdk/types.d.ts";
import { type Answer, type Call, callOf } from "./call.ts";
import type { Client, IdempotentOptions } from "./client.ts";
import { type JobFailure, SvcError } from "./error.ts";
import { errorFrom, failure } from "./fail.ts";
import { pause, retryAfterOf } from "./retry.ts";

/** Options of calls that wait for a job to end. */
export interface WaitOptions<Job> extends IdempotentOptions {
  /** Called with the job after the submit and after each poll, including the last one. If it throws, the call ends. */
  onProgress?: ((job: Job) => void) | undefined;
  /** Milliseconds after which the wait ends with `still_running`; the job continues. Default 1200000. */
  maxWait?: number | undefined;
}

/** A job with its result. */
export type Succeeded<Job extends { output: unknown }> = Job & {
  status: "succeeded";
  output: NonNullable<Job["output"]>;
  charged_amount: number;
};

/** Longest time that the gateway is asked to hold its answer, in seconds; it allows 25. */
const longestWait = 20;

/** Asks for the job; the gateway may hold its answer for `wait` seconds until the job ends. */
type Look<Job> = (job: Job, query: { wait: number }, options: IdempotentOptions) => Call<Job, OperationId>;

/** Follows a job to its end. An abort ends the waiting, not the job: it can't be recalled once it was ordered. */
export function untilDone<Job extends { status: string }, Done, Op extends OperationId, Failed = Job>(
  client: Client,
  order: Call<Job, OperationId>,
  look: Look<Job>,
  options: WaitOptions<Job> = {},
): Call<Done, Op, JobFailure<Failed>> {
  return callOf(follow(client, order, look, options) as Promise<Answer<unknown>> as Promise<Answer<Done>>);
}

async function follow<Job extends { status: string }>(
  client: Client,
  order: Call<Job, OperationId>,
  look: Look<Job>,
  { onProgress, maxWait = 1_200_000, idempotencyKey: _ordered, ...options }: WaitOptions<Job>,
): Promise<Answer<Job>> {
  const until = Date.now() + maxWait;
  // Progress shows in a look only, and a short patience must not break one off.
  const wait = Math.floor(Math.min(onProgress ? 2 : longestWait, (options.timeout ?? client.timeout) / 2000));
  let answer = await order.withResponse();
  for (;;) {
    const { data: job, response } = answer;
    onProgress?.(job);
    if (/^(succeeded|completed)$/i.test(job.status)) return answer;
    if (/^(failed|refunded|expired)$/i.test(job.status)) throw failed(job, response);
    if (Date.now() >= until) throw running("The job is still running.", job);
    const asked = Date.now();
    answer = await look(job, { wait }, options)
      .withResponse()
      .catch((error: unknown) => {
        throw SvcError.is(error) && error.retryable ? running("The job can't be polled.", job, error) : error;
      });
    const rest = asked + (retryAfterOf(answer.response.headers) ?? 1000) - Date.now();
    if (rest > 0) await pause(rest, options.signal);
  }
}

/** Not retryable, whatever the cause: the same order once more would be a second job. */
function running(message: string, body: unknown, cause?: SvcError): SvcError {
  return new SvcError({ message, code: "still_running", body, cause });
}

function failed(job: { status: string }, response: Response): SvcError {
  if ((job as { error?: unknown }).error != null) return errorFrom(job, response, null);
  return failure(response, { message: `The job is ${job.status}.`, code: "job_failed", body: job });
}
