import type { OperationId } from "../types.js";
import { type Call } from "./call.js";
import type { Client, IdempotentOptions } from "./client.js";
import { type JobFailure } from "./error.js";
/** Options of calls that wait for a job's end. */
export interface WaitOptions<Job> extends IdempotentOptions {
    /** Gets the job as it was ordered and each time it was looked at, its end included. What it throws ends the call. */
    onProgress?: ((job: Job) => void) | undefined;
    /** Milliseconds after which waiting ends with `still_running`; the job goes on. Default 1200000. */
    maxWait?: number | undefined;
}
/** A job with its result. */
export type Succeeded<Job extends {
    output: unknown;
}> = Job & {
    status: "succeeded";
    output: NonNullable<Job["output"]>;
    charged_amount: number;
};
/**
 * Follows a job to its end. An abort ends the waiting, not the job: it can't be recalled once it was ordered.
 * `look` asks for the job; the gateway may hold its answer for `wait` seconds until the job ends.
 */
export declare function untilDone<Job extends {
    status: string;
}, Done, Op extends OperationId, Failed = Job>(client: Client, order: Call<Job, OperationId>, look: (job: Job, query: {
    wait: number;
}, options: IdempotentOptions) => Call<Job, OperationId>, options?: WaitOptions<Job>): Call<Done, Op, JobFailure<Failed>>;
