// The refusal of a suspended account, whatever it was reached by.
import { fail } from "../errors/fail.ts";

export function failSuspended(): never {
  return fail("permission_denied", { text: { reason: "the account is suspended" } });
}
