// An address as a provider gives it, held to what sign-up takes (spec/account.tsp, Email).
import { NotProven } from "./answers.ts";

const shape = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;

export function verifiedAddress(email: unknown): string {
  if (typeof email !== "string" || email.length > 254 || !shape.test(email)) throw new NotProven("no usable address");
  return email;
}
