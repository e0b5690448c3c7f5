// An address as a provider gives it, held to what sign-up takes.
import { isEmailAddress } from "../text/email-address.ts";
import { NotProven } from "./answers.ts";

export function verifiedAddress(email: unknown): string {
  if (typeof email !== "string" || !isEmailAddress(email)) throw new NotProven("no usable address");
  return email;
}
