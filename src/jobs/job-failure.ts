// Why a job failed, by the contract's codes (docs/behaviour/media-jobs.md#failures). Customers read the message: it has no upstream's name,
// address or model id.
import { MediaFault } from "../media/types.ts";
import type { UpstreamError, UpstreamFault } from "../providers/errors/upstream-error.ts";
import type { JobErrorCode } from "./types.ts";

export class JobFailure extends Error {
  readonly code: JobErrorCode;
  /** The upstream's own code for it; null: none. */
  readonly word: string | null;

  constructor(code: JobErrorCode, message: string, word: string | null = null, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.word = word;
  }
}

/** `names`: the upstream's name of the model, and the customers'. */
export function failureOf(error: UpstreamError, names: { upstream: string; shown: string }): JobFailure {
  const code = error.job?.code ?? codes[error.fault];
  const toldFor = error.fault === "rejected" || error.fault === "refused" || error.job !== null;
  const reason = toldFor && toCustomer.has(code) ? `: ${error.reason.replaceAll(names.upstream, names.shown).trim()}` : "";
  const sentence = sentences[code] + reason;
  return new JobFailure(code, /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`, error.job?.word ?? null, error);
}

/** For a file that could not be stored. */
export function failureOfFile(error: unknown): JobFailure {
  const message = error instanceof MediaFault ? error.message : "What was made could not be stored.";
  return new JobFailure("provider_error", message, null, error);
}

/** The most helpful failure of several routes: what the customer can fix before what only time can. */
export function mostTelling(errors: readonly UpstreamError[]): UpstreamError | undefined {
  return [...errors].sort((one, other) => rank(one) - rank(other))[0];
}

const ranked: readonly UpstreamFault[] = [
  "rejected",
  "refused",
  "failed",
  "rate_limited",
  "unavailable",
  "unreadable",
  "local_overload",
  "gone",
  "our_fault",
];

function rank({ fault }: UpstreamError): number {
  return ranked.indexOf(fault);
}

const codes: Record<UpstreamFault, JobErrorCode> = {
  rejected: "invalid_input",
  refused: "content_policy",
  rate_limited: "provider_rate_limited",
  unavailable: "provider_unavailable",
  local_overload: "provider_unavailable",
  our_fault: "provider_unavailable",
  gone: "provider_unavailable",
  unreadable: "provider_error",
  failed: "provider_error",
};

/** Codes whose upstream sentence helps the customer. */
const toCustomer: ReadonlySet<JobErrorCode> = new Set([
  "content_policy",
  "content_policy_likeness",
  "content_policy_nsfw",
  "content_policy_unsafe",
  "moderation_blocked",
  "input_too_large",
  "input_invalid",
  "invalid_input",
  "prompt_too_long",
]);

const sentences: Record<JobErrorCode, string> = {
  content_policy: "The provider refused the content",
  content_policy_likeness: "The provider refused to depict this person",
  content_policy_nsfw: "The provider refused the content as not safe for work",
  content_policy_unsafe: "The provider refused the content as unsafe",
  moderation_blocked: "Moderation blocked the content",
  input_too_large: "An input is too large for the model",
  input_invalid: "An input can't be used by the model",
  invalid_input: "The provider rejected the request",
  prompt_too_long: "The prompt is too long for the model",
  provider_timeout: "The provider did not finish in time",
  timeout: "The job was not finished in time",
  provider_rate_limited: "The provider has too many requests at the moment",
  provider_unavailable: "The provider is not available at the moment",
  insufficient_credits: "The balance does not reach for this job",
  provider_error: "The provider failed to make it",
};
