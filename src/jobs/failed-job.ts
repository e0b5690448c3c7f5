// A job that failed while its caller waited: the job's error becomes the answer's (WIRE.md 15.6).
import { refuseBalance } from "../admission/payment.ts";
import type { Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import { fail } from "../fail.ts";
import { readBalance } from "../ledger/balance.ts";
import type { ReadJob } from "./read-jobs.ts";
import { genmediaErrorType } from "./show-genmedia.ts";

interface Failed {
  job: ReadJob;
  caller: Caller;
  model: Model;
}

export async function failedJob(context: Pick<Context, "db" | "catalog" | "publicUrl">, { job, caller, model }: Failed): Promise<never> {
  if (job.error_code === "insufficient_credits") {
    const { available = 0n } = (await readBalance(context.db, caller.accountId)) ?? {};
    return refuseBalance(context, { caller, model, need: job.estimated, available: available > 0n ? available : 0n, reserved: 0n });
  }
  const message = job.error_message === null ? {} : { message: job.error_message };
  return fail(job.error_code ?? "provider_error", { ...message, inside: { error_type: genmediaErrorType(job) } });
}
