// What an error of Amazon's hosts means: its name is in the header x-amzn-errortype, its body has only a sentence.
import { errorOfAnswer } from "../errors/faults.ts";
import { safeReason } from "../errors/error-text.ts";
import { type Failure, UpstreamError, type UpstreamFault } from "../errors/upstream-error.ts";
import { parseJson } from "../../json/parse.ts";
import { objectOf, textOf } from "../json/read.ts";
import type { ErrorAnswer, ReadError } from "../transport/exchange.ts";

export const readBedrockError: ReadError = (answer, provider) => {
  const { status, text, retryAfterMs } = answer;
  const { name, message } = readAmazonError(answer);
  const failure = credentialsFailure(name, message);
  const fault: UpstreamFault | null = failure !== null ? "our_fault" : faultOf(name, message);
  if (fault === null) return errorOfAnswer(status, text, retryAfterMs, provider);
  const reason = safeReason(message, provider, `the upstream answered ${status}`);
  return new UpstreamError(fault, reason, { status, retryAfterMs, failure });
};

/** `ValidationException` of `ValidationException:http://internal.amazon.com/…`, or of a body's `__type`. */
function readAmazonError({ headers, text }: Pick<ErrorAnswer, "headers" | "text">): { name: string; message: string | null } {
  let body: Record<string, unknown> = {};
  try {
    body = objectOf(parseJson(text));
  } catch {
    // a proxy's page
  }
  const named = textOf(headers["x-amzn-errortype"]) ?? textOf(body["__type"]) ?? "";
  return { name: named.split(":")[0]!.split("#").at(-1)!, message: textOf(body["message"]) ?? textOf(body["Message"]) };
}

const credentialNames = new Set([
  "ExpiredTokenException",
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "SignatureDoesNotMatch",
  "IncompleteSignature",
  "IncompleteSignatureException",
  "InvalidClientTokenId",
  "MissingAuthenticationToken",
  "MissingAuthenticationTokenException",
  "RequestExpired",
]);

/** A signature holds for some minutes only. */
const clockText = /\bSignature expired\b|\bSignature not yet current\b|\bis now earlier than\b|\bis still later than\b/;

/** Null: another error. The sentence is ours, because Amazon's quotes the request that was signed. */
function credentialsFailure(name: string, message: string | null): Failure | null {
  if (!credentialNames.has(name)) return null;
  if (name === "RequestExpired" || clockText.test(message ?? ""))
    return { cause: "clock_skew", detail: "the provider refuses the signature's time: this machine's clock is wrong; let NTP set it" };
  return { cause: "credentials", detail: `the provider refuses the credentials (${name})` };
}

/** Null: the status says it. */
function faultOf(name: string, message: string | null): UpstreamFault | null {
  switch (name) {
    case "ModelErrorException": // 424
    case "ModelTimeoutException": // 408
    case "ModelStreamErrorException":
      return "unavailable";
    case "ServiceQuotaExceededException": // 400
      return "our_fault";
    case "ModelNotReadyException": // 429
      return "unavailable";
    case "ValidationException":
    case "": // a proxy has dropped the header
      return message !== null && operatorsText.test(message) ? "gone" : null;
    default:
      return null;
  }
}

/** A 400 that no caller can mend: the catalog's id is wrong, or the model is called another way. */
const operatorsText =
  /\bmodel identifier is invalid\b|\bon-demand throughput isn.t supported\b|\bdoesn.t support on-demand throughput\b|\bmodel access\b|\bend of its life\b/i;
