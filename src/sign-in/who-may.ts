// Who may sign up, as the operator configured it. Verified accounts sign in regardless.
import type { SignUpConfig } from "../config.ts";
import { domainOf, foldEmail } from "../text/email-address.ts";
import { fail } from "../errors/fail.ts";

export const byInvitation = "accounts are by invitation";

/** Why an address may not sign up; undefined: it may. The same whether or not it has an account. */
function whyNot({ mode, domains }: SignUpConfig, email: string): string | undefined {
  if (mode === "closed") return "the operator makes accounts";
  if (domains !== null && !domains.includes(domainOf(foldEmail(email)))) return `addresses at ${domains.join(", ")} may sign up`;
  return undefined;
}

export function maySignUp(config: SignUpConfig, email: string): boolean {
  return whyNot(config, email) === undefined;
}

/** 403 signup_closed. */
export function assertMaySignUp(config: SignUpConfig, email: string): void {
  const reason = whyNot(config, email);
  if (reason !== undefined) failClosed(reason);
}

export function failClosed(reason: string): never {
  return fail("signup_closed", { param: "email", text: { reason } });
}
