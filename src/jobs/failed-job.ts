// Turns a job that failed while its caller waited into an error reply (docs/behaviour/media-jobs.md#genmedia, #images-client).
import type { Caller } from "../accounts/caller.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { readBalance, readLimitedKey } from "../ledger/balance.ts";
import type { ReadJob } from "./read-jobs.ts";

type Failing = Pick<Context, "db" | "catalog" | "publicUrl">;

interface Failed {
  job: ReadJob;
  caller: Caller;
  model: Model;
}

/** `inside`: fields inside `error`. */
export async function failedJob(context: Failing, { job, caller, model }: Failed, inside: Record<string, unknown> = {}): Promise<never> {
  if (job.error_code === "insufficient_credits") return refuseMoney(context, { job, caller, model });
  const message = job.error_message === null ? {} : { message: job.error_message };
  return fail(job.error_code ?? "provider_error", { ...message, inside });
}

/** Jobs have one code for an account that can't pay and a key whose budget is too small; refusals have two. */
async function refuseMoney(context: Failing, { job, caller, model }: Failed): Promise<never> {
  const { available = 0n } = (await readBalance(context.db, caller.accountId)) ?? {};
  const key = available < job.estimated || caller.keyId === null ? undefined : await readLimitedKey(context.db, caller.keyId);
  const keyLeft = key?.left ?? null;
  const refused = keyLeft !== null && keyLeft < job.estimated ? "key" : "balance";
  const funds = { available: available > 0n ? available : 0n, reserved: 0n, keyLeft };
  return refuseUnpaid(context, { caller, model, need: job.estimated }, { refused, ...funds });
}
