// Refuses what would need stored state between requests, and says what to do instead (spec/responses/responses.tsp). What is stored is in the request
// by now (stored.ts).
import { fail } from "../../errors/fail.ts";
import type { ResponseRequest } from "./types.ts";

const resend = "send the whole conversation as input, with store: false";

const insteadOf = {
  previous_response_id: resend,
  conversation: resend,
  background: "wait for the answer, or stream it",
  prompt: "send its text as instructions and input",
} as const;

export function assertStateless(body: ResponseRequest): void {
  for (const [param, instead] of Object.entries(insteadOf) as [keyof typeof insteadOf, string][]) {
    if (body[param] != null && body[param] !== false) failStored(param, instead);
  }
}

export function failReference(param: string): never {
  return failStored(param, `${resend}: the item itself in place of its id`);
}

export function failFileId(param: string): never {
  return failStored(param, "send the file itself as a data URL");
}

function failStored(param: string, instead: string): never {
  return fail("stateless_only", { param, text: { param, instead } });
}
