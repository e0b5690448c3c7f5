// Turns what openid-client throws into an answer: refused or unavailable. Its errors hold tokens and whole bodies in their causes, so
// only words known to be harmless are passed on.
import { ClientError, ResponseBodyError } from "openid-client";
import { isEmailAddress } from "../text/email-address.ts";
import { ProviderUnavailable } from "./calls.ts";
import type { Answer } from "./types.ts";

/** What the provider said is sound, but proves no verified address. */
export class NotProven extends Error {}

export async function answerOf<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: "answer", value: await work() };
  } catch (error) {
    return whyNot(error);
  }
}

/** RFC 6749 5.2 and GitHub's own word: the operator's registration is wrong, not what the user brings. */
const clientRefused = new Set(["invalid_client", "unauthorized_client", "incorrect_client_credentials"]);

/** Answers that are no OAuth at all. */
const garbled = new Set(["OAUTH_RESPONSE_IS_NOT_CONFORM", "OAUTH_RESPONSE_IS_NOT_JSON"]);

export function whyNot(error: unknown): Exclude<Answer<never>, { kind: "answer" }> {
  const unavailable = unavailableIn(error);
  if (unavailable) return { kind: "unavailable", reason: unavailable.message };
  if (error instanceof NotProven) return { kind: "refused", reason: error.message };
  if (error instanceof ResponseBodyError)
    return { kind: clientRefused.has(error.error) ? "unavailable" : "refused", reason: wordOf(error.error) };
  const code = wordOf((error as { code?: unknown }).code);
  if (error instanceof ClientError) return { kind: garbled.has(code) ? "unavailable" : "refused", reason: code };
  // A token that is no JWT at all fails in the parts that read it.
  if (error instanceof TypeError) return { kind: "refused", reason: code };
  throw error;
}

/** openid-client wraps what its fetch throws. */
function unavailableIn(error: unknown): ProviderUnavailable | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 4; cause = cause.cause, depth++)
    if (cause instanceof ProviderUnavailable) return cause;
  return undefined;
}

function wordOf(code: unknown): string {
  return typeof code === "string" && /^\w{1,60}$/.test(code) ? code : "unknown";
}

// An address as a provider gives it, held to what sign-up takes.

export function verifiedAddress(email: unknown): string {
  if (typeof email !== "string" || !isEmailAddress(email)) throw new NotProven("no usable address");
  return email;
}
